import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { runDue } from '../../test/due.ts'
import { LURES, type Pages, ROUTES, showPages } from '../../test/fake-pages.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { checks } from './checks.ts'

interface Finding {
  id: string
  check: string
  severity: string
  status: string
  evidence: string[]
  component: { name: string } | null
  fix: object | null
}
type Page = {
  feed: object | null
  findings: Finding[]
  total: number
  score: number | null
  counts: object | null
  looks: { source: string; checked_at: string | null; error: object | null }[]
  gaps: string[]
  checks: object[]
}

describe('looking at the security of a site', () => {
  let here: TestWorld
  let id: string
  let fake: RunningFakeSite
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'daily' })
    ;({ id, fake } = await here.site())
    for (const item of fake.state.items) item.update = null
  })
  after(() => here.close())

  const run = async (site_id = id) => {
    const { job_id } = await here.call('security.check', { site_id })
    const job = await here.job(String(job_id))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    return job.result as {
      findings: number
      opened: number
      fixed: number
      sources: { source: string; status: string; error: string | null }[]
    }
  }
  const list = async (input = {}) => (await here.call('security.list', { site_id: id, ...input })) as unknown as Page
  const open = async () => (await list()).findings
  const names = async () => (await open()).map(({ check }) => check).sort()
  const onSite = async () => {
    const { security } = (await here.call('sites.get', { site_id: id })) as unknown as {
      security: { open: number; worst_severity: string; score: number }
    }
    return [security.open, security.worst_severity, security.score]
  }
  const the = async (check: string) => (await open()).find((each) => each.check === check) ?? assert.fail(`no ${check}`)

  test('before anybody looked it says never, not nothing', async () => {
    const { findings, score, counts, looks, feed, gaps } = await list()
    assert.deepEqual([findings, score, counts, feed], [[], null, null, null])
    assert.deepEqual(gaps, [
      'Nobody has looked for settings and accounts yet.',
      'Nobody has looked for changed files yet.',
      'Nobody has looked for what strangers can see yet.',
      'Nobody has looked for outdated plugins and themes yet.',
      'Nobody looked for known vulnerabilities: there is no feed of them.',
    ])
    const unknown = { score: null, sites: 0, deductions: null, forgiven: null, ignored: null, counts: null }
    assert.deepEqual(await here.call('security.score', { site_id: id }), { ...unknown, gaps, looks })
    const narrowed = async (filter: object) => (await here.call('security.list', { site_id: id, ...filter })).gaps
    assert.deepEqual(await narrowed({ kind: 'vulnerability' }), gaps.slice(4), 'of what is not asked for nobody needs to know')
    assert.deepEqual(await narrowed({ check: 'plugin_outdated' }), gaps.slice(3, 4))
    assert.deepEqual(
      looks.map(({ checked_at }) => checked_at),
      [null, null, null, null, null],
    )
    assert.equal((await here.call('sites.get', { site_id: id })).security, null)
  })

  test('a hardened site has no finding but that its address is http', async () => {
    showPages(fake.state)
    const { sources } = await run()
    assert.deepEqual(await names(), ['no_https'])
    assert.ok(
      sources.every(({ status }) => status === 'checked'),
      JSON.stringify(sources),
    )
    assert.deepEqual(await onSite(), [1, 'high', 85])
    const { checks, gaps } = await list()
    assert.deepEqual(checks, [{ check: 'no_https', severity: 'high', findings: 1, sites: 1 }])
    assert.deepEqual(gaps, ['Nobody looked for known vulnerabilities: there is no feed of them.'])
    assert.deepEqual(
      [...fake.state.files.keys()].filter((path) => path.includes('svc-connector-probe')),
      [],
      'the probe is gone',
    )
  })

  test('a site that answers everything with 200 and the same page has exposed nothing', async () => {
    for (const body of [
      '<html><title>Garden</title>Flowers',
      LURES.config_exposed?.['/wp-config.php.bak']?.body,
      LURES.env_exposed?.['/.env']?.body,
    ]) {
      fake.state.page = (_, path) => (/svc-connector-login/.test(path) ? undefined : { status: 200, body: body ?? '' })
      await run()
      assert.deepEqual(await names(), ['no_https', 'security_headers'])
    }
  })

  for (const [check, pages] of Object.entries(LURES))
    test(`${check} is found where it is shown, and fixed when it is gone`, async () => {
      showPages(fake.state, pages)
      await run()
      assert.deepEqual(await names(), [check, 'no_https'].sort())
      const { evidence } = await the(check)
      assert.ok(evidence.length > 0 && !JSON.stringify(evidence).includes('canary'), 'evidence, but not what was in the file')
      showPages(fake.state)
      await run()
      assert.deepEqual(await names(), ['no_https'])
    })

  for (const [route, [words, pages]] of Object.entries(ROUTES))
    test(`login names leak by ${route}`, async () => {
      showPages(fake.state, pages)
      await run()
      const { evidence } = await the('user_enumeration')
      assert.equal(evidence.length, 1, evidence.join())
      assert.match(evidence[0] ?? '', words)
    })

  test('a login error that tells that a user does not exist is one more route; one that does not is none', async () => {
    const says = (words: (user: string) => string) => {
      showPages(fake.state)
      const usual = fake.state.page
      fake.state.page = (method, path, body) => {
        if (path !== '/wp-login.php') return usual?.(method, path, body)
        const user = new URLSearchParams(body).get('log') ?? ''
        return { status: 200, body: `<div id="login_error">${words(user)}</div><input value="${user}">` }
      }
    }
    says((user) => `The username <b>${user}</b> is not registered.`)
    await run()
    assert.match((await the('user_enumeration')).evidence[0] ?? '', /^login errors/)
    says(() => 'Name or password is wrong.')
    await run()
    assert.deepEqual(await names(), ['no_https'])
  })

  test('PHP that runs in the uploads is seen by a file that computes', async () => {
    const answer = (body: string): Pages =>
      new Proxy({}, { get: (_, path) => (String(path).includes('svc-connector-probe-') ? { status: 200, body } : undefined) })
    showPages(fake.state, answer('svc-connector-probe-42'))
    await run()
    assert.equal((await the('uploads_run_php')).fix !== null, true)
    showPages(fake.state, answer("<?php echo 'svc-connector-probe-42';"))
    await run()
    assert.deepEqual(await names(), ['no_https'], 'shown as text it does not run')
  })

  const inside: [check: string, facts: object][] = [
    ['php_end_of_life', { php_version: '7.4.33' }],
    ['database_end_of_life', { db: { engine: 'mysql', version: '5.7.44' } }],
    ['debug_display', { debug_display: true }],
    ['file_editor', { file_editor: true }],
    ['admin_registration', { registration: { open: true, role: 'administrator', admin: true } }],
    ['table_prefix', { prefix: 'wp_' }],
    ['salts', { salts: [{ name: 'AUTH_KEY', state: 'default' }] }],
    ['cron', { cron: { disabled: true, overdue_s: 7200 } }],
    ['application_passwords', { application_passwords: { available: true, users: 2 } }],
    ['admin_over_http', { is_ssl: true, ssl_admin: false }],
  ]
  for (const [check, facts] of inside)
    test(`${check} is found in what the site tells, and fixed when it is gone`, async () => {
      showPages(fake.state)
      Object.assign(fake.state.facts, facts)
      await run()
      assert.deepEqual(await names(), [check, 'no_https'].sort())
      fake.state.facts = {}
      await run()
      assert.deepEqual(await names(), ['no_https'])
    })

  test('an administrator who was not there at the first look is a finding with login and date; accepted, it is none', async () => {
    const gardener = { id: 7, login: 'gardener', nicename: 'gardener', registered: 1_700_000_000 }
    fake.state.facts = { admins: [gardener, { id: 9, login: 'wp-support', nicename: 'wp-support', registered: 1_790_000_000 }] }
    await run()
    const { severity, evidence, id: finding_id } = await the('new_admin')
    assert.equal(severity, 'high')
    assert.deepEqual(evidence, ['User 9, login wp-support, registered 2026-09-21T14:13:20.000Z.'])
    await here.call('security.ignore', { site_id: id, finding_id, reason: 'Our new colleague' })
    await run()
    assert.deepEqual(await names(), ['no_https'])
    fake.state.facts = {}
    await run()
    assert.equal((await list({ status: 'fixed', check: 'new_admin' })).total, 1)
  })

  test('PHP among the uploads is found, whatever its extension', async () => {
    putFile(fake.state, 'wp-content/uploads/2026/11/x.phtml', '<?php system($_GET[0]);')
    await run()
    assert.deepEqual((await the('uploads_php_files')).evidence, ['2026/11/x.phtml'])
    fake.state.files.delete('wp-content/uploads/2026/11/x.phtml')
    await run()
    assert.deepEqual(await names(), ['no_https'])
  })

  test('the probe of a check that could not take it away is no finding of the next, which does', async () => {
    const probes = () => [...fake.state.files.keys()].filter((path) => path.includes('svc-connector-probe'))
    let asked = 0
    fake.state.fault = (verb, moment) =>
      verb === 'security.probe' && moment === 'before' && asked++ > 0 ? { code: 'failed', message: 'No' } : undefined
    await run()
    assert.equal(probes().length, 1)
    fake.state.fault = undefined
    await run()
    assert.deepEqual([await names(), probes()], [['no_https'], []])
  })

  test('a site that one source alone has looked at has no score, and counts for none in the fleet', async () => {
    const { id: other } = await here.site()
    const fleet = async () => ((await here.call('security.score', {})) as { score: number; sites: number }).sites
    const scored = await fleet()
    await sql`INSERT INTO security_looks (workspace_id, site_id, source, checked_at)
      VALUES (${here.workspaceId}, ${other}, 'feed', ${here.world.now()})`.execute(here.world.db)
    here.world.changed(here.workspaceId)
    const { security } = (await here.call('sites.get', { site_id: other })) as { security: { open: number; score: number | null } }
    assert.deepEqual([security.open, security.score], [0, null])
    const { score, deductions, forgiven, ignored, counts, gaps } = await here.call('security.score', { site_id: other })
    assert.deepEqual([score, deductions, forgiven, ignored], [null, null, null, 0])
    assert.deepEqual(counts, { critical: 0, high: 0, medium: 0, low: 0, info: 0, unknown: 0 })
    assert.ok((gaps as unknown as string[]).includes('Nobody has looked for settings and accounts yet.'))
    assert.equal((await list({ site_id: other })).score, null)
    assert.equal(await fleet(), scored)
  })

  test('waiting updates are findings that name the update', async () => {
    const [, plugin] = fake.state.items
    assert.ok(plugin)
    plugin.update = { version: '1.2.0', requires_wp: '', requires_php: '', compatible: true, package: true }
    await run()
    assert.deepEqual((await the('plugin_outdated')).fix, { update: { type: 'plugin', slug: 'garden', version: '1.2.0' } })
    plugin.update = null
    await run()
    assert.deepEqual(await names(), ['no_https'])
  })

  test('ignoring has a reason and an end, after which the finding is open again; all of it stays in the history', async () => {
    const { id: finding_id } = await the('no_https')
    const until = new Date(here.world.now().getTime() + 3_600_000).toISOString()
    await assert.rejects(here.call('security.ignore', { site_id: id, finding_id, reason: ' ', until }), { code: 'invalid_payload' })
    await assert.rejects(here.call('security.ignore', { site_id: id, finding_id, reason: 'x', until: '2020-01-01T00:00:00Z' }), {
      code: 'invalid_payload',
    })
    await here.call('security.ignore', { site_id: id, finding_id, reason: 'An intranet', until })
    assert.deepEqual([await names(), (await list({ status: 'ignored' })).total], [[], 1])
    const score = await here.call('security.score', { site_id: id })
    assert.deepEqual([score.score, score.ignored], [100, 1])
    assert.deepEqual(await onSite(), [0, null, 100])
    here.clock.add(3_600_001)
    fake.state.skewSeconds += 3600
    await runDue(here.world)
    assert.deepEqual(await names(), ['no_https'])
    assert.deepEqual(await onSite(), [1, 'high', 85])
    const { history } = (await here.call('security.get', { site_id: id, finding_id })) as unknown as {
      history: { event: string; actor: object | null; reason: string | null }[]
    }
    assert.deepEqual(
      history.slice(0, 3).map(({ event }) => event),
      ['expired', 'ignored', 'opened'],
    )
    assert.match(history[1]?.reason ?? '', /^An intranet \(until /)
    assert.deepEqual(history[1]?.actor, { type: 'user', id: 'user_test', name: 'Tess' })
    await assert.rejects(here.call('security.unignore', { site_id: id, finding_id }), { code: 'conflict' })
  })

  test('the score is explained to the last point', async () => {
    const score = (await here.call('security.score', { site_id: id })) as unknown as {
      score: number
      deductions: { check: string; points: number }[]
    }
    assert.equal(score.score, 85)
    assert.deepEqual(
      score.deductions.map(({ check, points }) => [check, points]),
      [['no_https', 15]],
    )
  })

  test('a run that changes something writes one entry; what is only put right is for the client', async () => {
    await sql`DELETE FROM activity`.execute(here.world.db)
    const entries = async () =>
      (
        (await here.call('activity.list', { site_id: id })) as unknown as {
          activity: { summary: string; internal: boolean; in_reports: boolean; category: string; notes: string }[]
        }
      ).activity
    await run()
    assert.deepEqual(await entries(), [])
    showPages(fake.state, { ...LURES.config_exposed, ...LURES.vcs_exposed })
    await run()
    const [found] = await entries()
    assert.deepEqual(
      [found?.summary, found?.internal, found?.in_reports, found?.category],
      ['Security check: 2 problems found, 2 of them urgent', true, false, 'security'],
    )
    assert.match(found?.notes ?? '', /A copy of wp-config\.php can be downloaded/)
    showPages(fake.state)
    await run()
    const [fixed, ...others] = await entries()
    assert.deepEqual(
      [fixed?.summary, fixed?.internal, fixed?.in_reports, others.length],
      ['Security check: 2 problems fixed', false, true, 1],
    )
  })

  test('a site that cannot be asked keeps what was found inside, and the look says why it failed', async () => {
    fake.state.facts = { file_editor: true }
    await run()
    fake.state.fault = (verb) => (verb === 'security.facts' ? { code: 'failed', message: 'No' } : undefined)
    const { sources } = await run()
    assert.deepEqual(
      sources.filter(({ status }) => status === 'failed').map(({ source }) => source),
      ['facts', 'integrity'],
    )
    assert.deepEqual(await names(), ['file_editor', 'no_https'])
    const look = (await list()).looks.find(({ source }) => source === 'facts')
    assert.ok(look?.checked_at && look.error)
    fake.state.fault = undefined
    fake.state.facts = {}
    await run()
    assert.deepEqual(await names(), ['no_https'])
  })

  test('a firewall that begins to refuse leaves what was found outside as it is', async () => {
    showPages(fake.state, LURES.vcs_exposed)
    await run()
    const usual = fake.state.page
    fake.state.page = (method, path, body) => (path === '/' ? usual?.(method, path, body) : { status: 429 })
    await run()
    assert.deepEqual(await names(), ['no_https', 'vcs_exposed'])
    showPages(fake.state)
    await run()
    assert.deepEqual(await names(), ['no_https'])
  })

  test('a new site is looked at within minutes and then once a day', async () => {
    const { id: other, fake: its } = await here.site()
    showPages(its.state)
    const jobs = async (of: object) =>
      ((await here.call('jobs.list', { ...of, type: 'security_check' })) as unknown as { jobs: { id: string }[] }).jobs
    const pass = async (ms: number) => {
      here.clock.add(ms)
      for (const { state } of [fake, its]) state.skewSeconds += Math.round(ms / 1000)
      await runDue(here.world)
      // Those of the other site too, whose time of the day may have come: what is under way when the clock moves is refused as out of date.
      for (const job of await jobs({})) await here.job(job.id)
      return (await jobs({ site_id: other })).length
    }
    its.state.skewSeconds = fake.state.skewSeconds
    assert.equal(await pass(0), 0)
    assert.equal(await pass(600_000), 1)
    assert.equal(await pass(86_400_000), 2)
    // Not later: its own time of the day may come in any minute.
    assert.equal(await pass(0), 2)
  })

  test('the list is worst first, filtered and paged', async () => {
    showPages(fake.state, { ...LURES.config_exposed, ...LURES.version_disclosed, ...LURES.directory_listing })
    await run()
    const order = (await open()).map(({ severity, check }) => `${severity} ${check}`)
    assert.deepEqual(order, ['critical config_exposed', 'high no_https', 'medium directory_listing', 'info version_disclosed'])
    assert.deepEqual(
      (await list({ severity: 'medium' })).findings.map(({ check }) => check),
      ['directory_listing'],
    )
    assert.equal((await list({ kind: 'exposure' })).total, 3)
    assert.equal((await list({ q: 'wp-config.php.bak' })).total, 1)
    assert.equal((await list({ q: '100%_' })).total, 0)
    const first = (await here.call('security.list', { site_id: id, limit: 3 })) as unknown as Page & { next_cursor: string }
    const second = (await here.call('security.list', { site_id: id, limit: 3, cursor: first.next_cursor })) as unknown as Page
    assert.deepEqual(
      [...first.findings, ...second.findings].map(({ severity, check }) => `${severity} ${check}`),
      order,
    )
    const fleet = (await here.call('security.list', { severity: 'critical' })) as unknown as Page
    assert.equal(fleet.total, 1)
  })

  test('another workspace sees nothing of it, by any filter', async () => {
    const stranger = { caller: here.caller({ workspaceId: await here.workspace('Strangers') }) }
    for (const input of [
      {},
      { severity: 'critical' },
      { kind: 'exposure' },
      { check: 'no_https' },
      { q: 'wp-config' },
      { status: 'fixed' },
    ])
      assert.deepEqual(await here.call('security.list', input, stranger).then(({ findings, total, score }) => [findings, total, score]), [
        [],
        0,
        null,
      ])
    const { deductions, counts, ignored } = await here.call('security.score', {}, stranger)
    assert.deepEqual([deductions, counts, ignored], [null, null, null])
  })

  test('every check that looks from outside or at facts has been planted here', () => {
    const planted = new Set([
      ...Object.keys(LURES),
      ...inside.map(([check]) => check),
      'no_https',
      'user_enumeration',
      'uploads_run_php',
      'new_admin',
    ])
    const elsewhere = [
      'admin_user',
      'user_id_1',
      'http_not_redirected',
      'certificate_expired',
      'certificate_expiring',
      'certificate_invalid',
      'tls_outdated',
    ]
    const looked = checks.filter(({ source }) => source === 'outside' || source === 'facts').map(({ id }) => id)
    assert.deepEqual(looked.filter((each) => !planted.has(each)).sort(), elsewhere.sort())
  })
})
