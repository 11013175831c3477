import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { aWorld, type RestAnswer, type TestWorld } from '../../test/world.ts'
import { openService, type Service } from '../service.ts'
import { budgets } from './budget.ts'

describe('what a stolen token can use up in an hour', () => {
  let here: TestWorld
  let site: Awaited<ReturnType<TestWorld['site']>>
  let other: Service
  let otherUrl: string
  before(async () => {
    here = await aWorld()
    site = await here.site()
    const { config, log, now } = here.world
    other = await openService({ config: { ...config, role: 'serve' }, log, now, address: here.address })
    otherUrl = (await other.server?.listen({ host: '127.0.0.1', port: 0 })) ?? ''
  })
  after(async () => {
    await other.close()
    await here.close()
  })

  const post = (token: string, path: string, body: object, { url = here.url, key }: { url?: string; key?: string } = {}) =>
    fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
      body: JSON.stringify(body),
    })
  const login = (token: string, url = here.url, id = site.id) => post(token, `/sites/${id}/actions`, { action: 'login' }, { url })
  const issued = () => site.fake.state.effects.filter(({ verb }) => verb === 'login.issue').length
  const alerts = async () =>
    (
      (await here.call('activity.list', { limit: 200 })) as { activity: { summary: string; internal: boolean; actor: { id: string } }[] }
    ).activity.filter(({ summary }) => /budget is used up/.test(summary))
  const anHour = () => here.clock.add(3_600_001)
  const secret = async () => (await here.token('write')).token
  const statuses = (answers: Response[]) => answers.map(({ status }) => status)

  test('two hundred login links at once, with two tokens on two nodes: twenty are made, and it is told once', async () => {
    const tokens = [await secret(), await secret()]
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => login(tokens[n % 2] ?? '', n % 4 < 2 ? here.url : otherUrl)))
    assert.deepEqual([statuses(answers).filter((status) => status === 200).length, issued()], [20, 20])
    const refused = answers.filter(({ status }) => status !== 200)
    assert.ok(refused.every(({ status }) => status === 429))
    const seconds = Number(refused[0]?.headers.get('retry-after'))
    assert.ok(seconds > 3500 && seconds <= 3600, `${seconds} s`)
    const { code, detail } = ((await refused[0]?.json()) ?? {}) as { code?: string; detail?: string }
    assert.equal(code, 'rate_limited')
    assert.match(detail ?? '', /20 login links an hour.*SERVICE_LOGIN_LINKS_PER_HOUR.*again at \d{4}-/)
    const told = await alerts()
    assert.deepEqual([told.length, told[0]?.internal], [1, true])
    assert.match(told[0]?.actor.id ?? '', /^tok_/)
  })

  test('people and other workspaces are not held up by it, and after an hour there is room again', async () => {
    const token = await secret()
    assert.equal((await login(token)).status, 429)
    await here.call('login.create', { site_id: site.id })
    const elsewhere = await here.workspace('Elsewhere')
    const theirs = await here.site(elsewhere)
    assert.equal((await login((await here.token('write', { workspaceId: elsewhere })).token, here.url, theirs.id)).status, 200)
    anHour()
    assert.equal((await login(token)).status, 200)
  })

  test('what the site refuses counts, what never reached it does not', async () => {
    anHour()
    const token = await secret()
    for (let n = 0; n < 25; n++) assert.equal((await login(token, here.url, 'nowhere.example')).status, 404)
    site.fake.state.fault = (verb) => (verb === 'login.issue' ? { code: 'failed', message: 'No.' } : undefined)
    const asked = () => site.fake.requests.filter(({ verb }) => verb === 'login.issue').length
    const before = asked()
    const answers = []
    for (let n = 0; n < 25; n++) answers.push(await login(token))
    site.fake.state.fault = undefined
    assert.deepEqual([statuses(answers).filter((status) => status === 502).length, asked() - before], [20, 20])
  })

  test('new salts are counted by sites, not by calls; a plan costs nothing', async () => {
    anHour()
    const token = await secret()
    const fix = async (site_ids: string[], more = {}): Promise<RestAnswer> =>
      here.rest('POST', '/api/v1/tweaks', { token, body: { site_ids, tweak_ids: ['salts_rotated'], ...more } })
    const others = await Promise.all(Array.from({ length: 5 }, () => here.site()))
    const ids = [site.id, ...others.map(({ id }) => id)]
    assert.equal((await fix(ids, { dry_run: true })).status, 200)
    const whole = await fix(ids)
    assert.deepEqual([whole.status, whole.headers.get('retry-after')], [429, null])
    assert.match(String(whole.json.detail), /at once for 6 of the budget of 5/)
    assert.equal((await fix(ids.slice(0, 4))).status, 202)
    assert.equal((await fix(ids.slice(4))).status, 429)
    assert.equal((await fix(ids.slice(5))).status, 202)
    assert.equal((await fix(ids.slice(5))).status, 429)
    assert.equal((await fix(ids, { tweak_ids: ['xmlrpc_off'] })).status, 202, 'other fixes are not limited')
  })

  test('a restore without a safety backup is counted once for each key, and not when it was refused', async () => {
    anHour()
    const token = await secret()
    const { backup_id, job_id } = await here.call('backups.create', { site_id: site.id, type: 'db' })
    await here.job(String(job_id))
    const path = (id: unknown) => `/sites/${site.id}/backups/${id}/restore`
    const bare = { safety_backup: false }
    for (let n = 0; n < 6; n++) assert.equal((await post(token, path('backup_01k0000000000000000000000a'), bare)).status, 404)
    for (let n = 0; n < 6; n++) assert.equal((await post(token, path(backup_id), bare, { key: 'the-same' })).status, 202)
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(token, path(backup_id), bare)))
    assert.equal(statuses(answers).filter((status) => status === 202).length, 4)
    assert.equal((await post(token, path(backup_id), {})).status, 202, 'with a safety backup it is not limited')
  })

  test('a rollout costs what it begins before it could stop itself', async () => {
    anHour()
    const token = await secret()
    const many = Array.from({ length: 101 }, () => site.id)
    const start = (more: object) => post(token, '/updates', { site_ids: many, ...more })
    assert.equal((await start({ first_wave: 500, dry_run: true })).status, 200)
    for (const hasty of [{ first_wave: 500 }, { wave_percent: 100 }, { stop_above_percent: 100 }, { stop_above_percent: 51 }])
      assert.equal((await start(hasty)).status, 429, JSON.stringify(hasty))
    assert.equal((await start({})).status, 202)
    const rest = budgets.updates.usual - 20
    for (let n = 0; n < rest; n += 20) assert.equal((await start({})).status, 202)
    assert.equal((await post(token, `/sites/${site.id}/actions`, { action: 'update' })).status, 429)
  })
})
