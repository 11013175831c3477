// Every tweak on real sites: the attack works, the tweak is applied through the API, the attack fails, it is taken back, the attack works again.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { run } from '../../demo/npm.ts'
import { known } from '../../server/src/tweaks/table.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { cookiesOf, logIn, postTicket } from '../visitor.ts'
import { attacks, guess, type Target } from './attacks.ts'
import { makeAuthority } from './certificate.ts'
import { type Fleet, type NativeSite, type SiteSpec, startFleet } from './fleet.ts'

const HERE = import.meta.dirname

interface Managed extends Target {
  id: string
}
interface Result {
  items: { tweak_id: string; status: string; reason: string | null; evidence: string[] }[]
}
interface Listed {
  live: boolean
  tweaks: {
    id: string
    state: string
    reason: string | null
    already_by: string | null
    snippet: string | null
    applied_at: string | null
    finding_ids: string[]
  }[]
}

let ca: string
let house: House
let fleet: Fleet
const sites: Record<string, Managed> = {}

const phrase = 'put your unique phrase here'
const weakSalts = Object.fromEntries(
  ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((name) => [
    [`${name}_KEY`, phrase],
    [`${name}_SALT`, phrase],
  ]),
)
const mostOverrides = 'FileInfo AuthConfig Limit'
const snippets = ['readme_blocked', 'uploads_php_off', 'directory_listing_off'] as const
const pasted = snippets.map((id) => known(id).nginx?.replace('{uploads}', '/wp-content/uploads/')).join('\n')

/** `careless` shows errors and has no secrets; `trap` follows in uploads what it rejects everywhere else. */
const specs = (ca: string): Record<string, SiteSpec> => ({
  nginx: { wp: '7.1.1', db: 'mariadb', constants: { WP_ENVIRONMENT_TYPE: 'local' } },
  old: { wp: '6.1.9', db: 'mariadb', constants: { WP_ENVIRONMENT_TYPE: 'local' } },
  apache: { wp: '7.1.1', db: 'mariadb', apache: { overrides: 'All' } },
  strict: { wp: '7.1.1', db: 'sqlite', apache: { overrides: mostOverrides } },
  deaf: { wp: '7.1.1', db: 'sqlite', apache: { overrides: 'None' } },
  trap: { wp: '7.1.1', db: 'sqlite', apache: { overrides: mostOverrides, uploads: 'All' } },
  careless: { wp: '7.1.1', db: 'sqlite', nginx: pasted, constants: { ...weakSalts, WP_DEBUG: true, WP_DEBUG_DISPLAY: true } },
  secure: { wp: '7.1.1', db: 'sqlite', https: { ca } },
})

before(async () => {
  ca = await mkdtemp(join(tmpdir(), 'tweaks-ca-'))
  process.env.NODE_EXTRA_CA_CERTS = await makeAuthority(ca)
  house = await openHouse()
  const wanted = specs(ca)
  fleet = await startFleet(Object.values(wanted), {
    plugins: [CONNECTOR],
    muPlugins: [join(HERE, 'mu-warn.php'), join(HERE, 'mu-cost.php')],
  })
  for (const [index, name] of Object.keys(wanted).entries()) {
    const native = fleet.sites[index]
    if (!native) throw new Error('A site is missing.')
    sites[name] = await managed(native)
  }
})
after(async () => {
  await fleet?.stop()
  await house?.close()
  await rm(ca, { recursive: true, force: true })
})

async function managed(native: NativeSite): Promise<Managed> {
  await native.wpCli(['svc', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
  const site = await until(`${native.url} connected`, async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ url, status }) => url === native.url && status === 'connected'),
  )
  const uploads = join(native.dir, 'wp-content/uploads')
  await mkdir(join(uploads, 'secret'), { recursive: true })
  await writeFile(join(uploads, 'secret/report.txt'), 'secret')
  await writeFile(join(uploads, 'shell.php'), '<?php echo "ran ", 6 * 7;')
  await run('chown', ['-R', 'www-data:', uploads])
  const post = (await native.wpCli(['post', 'list', '--post_type=post', '--field=url', '--posts_per_page=1'])).trim()
  const password = (await native.wpCli(['user', 'application-password', 'create', native.adminUser, 'robot', '--porcelain'])).trim()
  return { ...native, id: site.id, post, applicationPassword: `${native.adminUser}:${password}` }
}

function siteOf(name: string): Managed {
  const site = sites[name]
  if (!site) throw new Error(`There is no site ${name}.`)
  return site
}

async function order(site: Managed, action: string, tweak_ids: string[], more: object = {}) {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/tweaks`, { action, tweak_ids, ...more })
  const job = await house.finished<Result>(job_id)
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  return job.result.items
}
const states = async (site: Managed) => {
  const { tweaks } = await house.ask<Listed>('GET', `/sites/${site.id}/tweaks`)
  return Object.fromEntries(tweaks.map((tweak) => [tweak.id, tweak]))
}
const attack = (id: string, site: Target) => attacks[id]?.(site) ?? assert.fail(`No attack for ${id}.`)

/** Before, after, and after that again. */
function proves(name: string, id: string) {
  test(`${id} on the site ${name}: the attack works, is stopped, and works again`, async () => {
    const site = siteOf(name)
    const got = await attack(id, site)
    assert.ok(got.length > 0, 'the attack works')
    const [applied] = await order(site, 'apply', [id])
    assert.equal(applied?.status, 'applied', JSON.stringify(applied))
    assert.deepEqual(await attack(id, site), [])
    assert.equal((await states(site))[id]?.state, 'applied')
    const [reverted] = await order(site, 'revert', [id])
    assert.equal(reverted?.status, 'reverted', JSON.stringify(reverted))
    assert.deepEqual(await attack(id, site), got, 'as it was')
  })
}

const hooked = [
  'file_editor_off',
  'xmlrpc_off',
  'pingbacks_off',
  'user_enumeration_off',
  'version_hidden',
  'application_passwords_off',
  'security_headers',
  'login_limited',
]
const rules = ['directory_listing_off', 'uploads_php_off', 'readme_blocked']

describe('through hooks', () => {
  for (const name of ['nginx', 'old']) for (const id of hooked) proves(name, id)
  proves('careless', 'debug_display_off')
  proves('secure', 'ssl_admin_forced')

  test('whoever guesses too often waits, others and the one-click login do not', async () => {
    const site = siteOf('nginx')
    await order(site, 'apply', ['login_limited'])
    const guesses = await Promise.all(Array.from({ length: 12 }, (_, n) => guess(site.url, site.adminUser, `wrong ${n}`)))
    assert.ok(guesses.filter((status) => status === 200).length <= 5, `of twelve at once at most five are looked at: ${guesses}`)
    assert.equal(await guess(site.url, site.adminUser, site.adminPassword), 429)
    assert.equal(await guess(site.url, site.adminUser, site.adminPassword, '127.0.0.77'), 302, 'from another address')
    const { url } = await house.ask<{ url: string }>('POST', `/sites/${site.id}/actions`, { action: 'login' })
    const entered = await postTicket(url)
    assert.equal(entered.status, 302)
    assert.equal((await fetch(`${site.url}/wp-admin/`, { headers: { cookie: cookiesOf(entered) }, redirect: 'manual' })).status, 200)
    await order(site, 'revert', ['login_limited'])
    assert.equal(await guess(site.url, site.adminUser, site.adminPassword), 302)
  })

  test('https is not forced on a site that has none', async () => {
    const [item] = await order(siteOf('nginx'), 'apply', ['ssl_admin_forced'])
    assert.equal(item?.status, 'refused')
    assert.match(item?.reason ?? '', /^https does not work/)
    assert.deepEqual(await attack('ssl_admin_forced', siteOf('nginx')), ['a form that sends the password in the clear'])
  })

  test('browsers are told to stay on https only by pages that came over it', async () => {
    const site = siteOf('secure')
    const safe = site.url.replace('http:', 'https:')
    await order(site, 'apply', ['security_headers'])
    const headers = (url: string) => run('curl', ['-sSI', '--cacert', join(ca, 'ca.pem'), `${url}/wp-login.php`])
    assert.doesNotMatch(await headers(safe), /strict-transport/i, 'its address is on http')
    for (const name of ['WP_HOME', 'WP_SITEURL']) await site.wpCli(['config', 'set', name, safe])
    assert.match(await headers(safe), /strict-transport-security: max-age=2592000\r/i)
    assert.doesNotMatch(await headers(site.url), /strict-transport/i)
    for (const name of ['WP_HOME', 'WP_SITEURL']) await site.wpCli(['config', 'set', name, site.url])
  })

  test('what wp-config.php or a plugin does already is told so and left alone', async () => {
    const site = siteOf('old')
    await site.wpCli(['config', 'set', 'DISALLOW_FILE_EDIT', 'true', '--raw'])
    const { file_editor_off } = await states(site)
    assert.deepEqual([file_editor_off?.state, file_editor_off?.already_by], ['applied', 'wp-config.php'])
    const [item] = await order(site, 'apply', ['file_editor_off'])
    assert.deepEqual([item?.status, item?.reason], ['already', 'Already so by wp-config.php.'])
    await site.wpCli(['config', 'delete', 'DISALLOW_FILE_EDIT'])
  })

  test('with all of them on, a page costs less than 1 ms, 200 KB and 1 KB of autoloaded options', async () => {
    for (const site of [siteOf('nginx'), siteOf('old')]) {
      for (const { tweak_id, status, reason } of await order(site, 'apply', hooked))
        assert.match(status, /applied|already/, `${tweak_id} ${reason}`)
      const views: { ms: number; bytes: number; autoloaded: number }[] = []
      for (let view = 0; view < 15; view++) views.push(JSON.parse(await (await fetch(`${site.url}/?svc=cost`)).text()))
      const median = views.map(({ ms }) => ms).sort((a, b) => a - b)[7] ?? Number.NaN
      assert.ok(median < 1, `${median} ms`)
      for (const { bytes, autoloaded } of views.slice(1))
        assert.ok(bytes < 200_000 && autoloaded < 1000, JSON.stringify({ bytes, autoloaded }))
    }
  })

  test('they survive an update of the connector', async () => {
    const site = siteOf('nginx')
    const zip = join(site.dir, '../tmp/svc-connector.zip')
    await writeFile(zip, Buffer.from(await (await fetch(`${house.url}/connector/svc-connector.zip`)).arrayBuffer()))
    await site.wpCli(['plugin', 'install', zip, '--force'])
    assert.deepEqual(await attack('user_enumeration_off', site), [])
    assert.equal((await states(site)).xmlrpc_off?.state, 'applied')
    await order(site, 'revert', hooked)
  })
})

test('findings name the tweak that fixes them, and are fixed by it', async () => {
  const site = siteOf('careless')
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/security/check`, {})
  await house.finished(job_id)
  const fixable = ['xmlrpc_off', 'user_enumeration_off', 'version_hidden', 'security_headers', 'file_editor_off', 'debug_display_off']
  const found = await states(site)
  for (const id of fixable) assert.ok((found[id]?.finding_ids.length ?? 0) > 0, `${id} has a finding`)
  await order(site, 'apply', fixable)
  const now = await states(site)
  for (const id of fixable) assert.deepEqual(now[id]?.finding_ids, [], `${id} has fixed its finding`)
  await order(site, 'revert', ['xmlrpc_off', 'debug_display_off'])
  const then = await states(site)
  for (const id of ['xmlrpc_off', 'debug_display_off']) assert.deepEqual(then[id]?.finding_ids, found[id]?.finding_ids, `${id}: open again`)
})

describe('through rules of the web server', () => {
  for (const id of rules) proves('apache', id)

  test('the block is marked, and taking it out leaves every byte as it was', async () => {
    const site = siteOf('apache')
    const file = join(site.dir, '.htaccess')
    const before = await readFile(file, 'utf8')
    await order(site, 'apply', rules)
    assert.match(await readFile(file, 'utf8'), /^# BEGIN Svc Connector 1 readme_blocked\n[\s\S]*# END Svc Connector readme_blocked\n/)
    await writeFile(file, (await readFile(file, 'utf8')).replace(/# BEGIN Svc Connector 1 readme_blocked[\s\S]*?# END .*\n/, ''))
    const { readme_blocked } = await states(site)
    assert.deepEqual([readme_blocked?.state, readme_blocked?.already_by], ['drifted', null])
    await order(site, 'apply', ['readme_blocked'])
    assert.deepEqual(await attack('readme_blocked', site), [])
    await order(site, 'revert', rules)
    assert.equal(await readFile(file, 'utf8'), before)
    assert.equal(await run('find', [join(site.dir, 'wp-content/uploads'), '-name', '*svc*', '-o', '-name', '.ht*']), '')
  })

  test('a rule the server rejects is found out in a trial folder; the site never answers with an error', async () => {
    const site = siteOf('strict')
    const before = await readFile(join(site.dir, '.htaccess'), 'utf8')
    const seen = new Set<number>()
    let watching = true
    const watch = (async () => {
      while (watching) seen.add((await fetch(site.url)).status)
    })()
    const [listing, readme] = await order(site, 'apply', ['directory_listing_off', 'readme_blocked'])
    watching = false
    await watch
    assert.equal(listing?.status, 'refused')
    assert.match(listing?.reason ?? '', /does not allow this rule in \.htaccess.*not touched/)
    assert.equal(readme?.status, 'applied', JSON.stringify(readme))
    assert.deepEqual([...seen], [200])
    await order(site, 'revert', ['readme_blocked'])
    assert.equal(await readFile(join(site.dir, '.htaccess'), 'utf8'), before)
  })

  test('a server that does not read such files is told from one that does', async () => {
    const site = siteOf('deaf')
    const [item] = await order(site, 'apply', ['uploads_php_off'])
    assert.equal(item?.status, 'refused')
    assert.match(item?.reason ?? '', /does not follow \.htaccess/)
    assert.equal(await run('find', [join(site.dir, 'wp-content/uploads'), '-name', '.htaccess']), '')
  })

  test('a change that shuts the site is taken back by the site itself, though nobody can reach it', async () => {
    const site = siteOf('trap')
    const before = await readFile(join(site.dir, '.htaccess'), 'utf8')
    const [item] = await order(site, 'apply', ['directory_listing_off'])
    assert.equal(item?.status, 'failed', JSON.stringify(item))
    assert.match(item?.reason ?? '', /taken it back by itself\.$/)
    await until('the site as it was', async () => ((await fetch(site.url)).status === 200 ? true : undefined), 20_000)
    assert.equal(await readFile(join(site.dir, '.htaccess'), 'utf8'), before)
    assert.equal((await states(site)).directory_listing_off?.state, 'not_applied')
  })

  test('nginx gets words to paste; once pasted, it is seen to work', async () => {
    const { readme_blocked } = await states(siteOf('nginx'))
    assert.equal(readme_blocked?.state, 'not_applicable')
    assert.equal(readme_blocked?.snippet, known('readme_blocked').nginx)
    const [refused] = await order(siteOf('nginx'), 'apply', ['uploads_php_off'])
    assert.deepEqual([refused?.status, await attack('uploads_php_off', siteOf('nginx'))], ['refused', ['a program that runs']])
    const careless = await states(siteOf('careless'))
    for (const id of snippets) {
      assert.deepEqual([id, careless[id]?.state, careless[id]?.already_by], [id, 'applied', 'something else on this site or its server'])
      assert.deepEqual(await attack(id, siteOf('careless')), [])
    }
    assert.equal((await order(siteOf('careless'), 'apply', ['uploads_php_off']))[0]?.status, 'already')
  })
})

describe('the secrets of wp-config.php', () => {
  test('known ones become random, sessions end, and the connection does not', async () => {
    const site = siteOf('careless')
    assert.equal((await states(site)).salts_rotated?.state, 'not_applied')
    await renew(site, {})
    assert.equal((await states(site)).salts_rotated?.state, 'applied')
    assert.doesNotMatch(await readFile(join(site.dir, 'wp-config.php'), 'utf8'), /unique phrase/)
  })

  test('good ones are left alone, unless they are to be renewed all the same', async () => {
    for (const site of [siteOf('apache'), siteOf('old')]) {
      assert.equal((await order(site, 'apply', ['salts_rotated']))[0]?.status, 'already')
      await renew(site, { force: true })
      await renew(site, { force: true })
    }
  })

  async function renew(site: Managed, more: object): Promise<void> {
    const file = join(site.dir, 'wp-config.php')
    const [was, mode] = [await readFile(file, 'utf8'), await stat(file)]
    const cookie = await logIn(site.url, site.adminUser, site.adminPassword)
    const enters = async () => (await fetch(`${site.url}/wp-admin/`, { headers: { cookie }, redirect: 'manual' })).status
    assert.equal(await enters(), 200)
    const [item] = await order(site, 'apply', ['salts_rotated'], more)
    assert.equal(item?.status, 'applied', JSON.stringify(item))
    assert.equal(await enters(), 302, 'a stolen session has ended')
    const [is, now] = [await readFile(file, 'utf8'), await stat(file)]
    assert.notEqual(is, was)
    assert.deepEqual([now.mode, now.uid, now.gid], [mode.mode, mode.uid, mode.gid])
    const without = (text: string) => text.replaceAll(/(_(?:KEY|SALT)', )'[^']*'/g, '$1')
    assert.equal(without(is), without(was), 'nothing else changed')
    assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${site.id}/actions`, { action: 'ping' })).ok, true)
    assert.match(await site.wpCli(['svc', 'status']), /Connected\./)
    assert.doesNotMatch(await site.wpCli(['option', 'get', 'svc_connector_site']), /other_secret/)
  }
})

describe('the end', () => {
  test('deactivating the connector takes everything back, and deleting it leaves nothing behind', async () => {
    const site = siteOf('apache')
    const before = await readFile(join(site.dir, '.htaccess'), 'utf8')
    await order(site, 'apply', [...rules, 'xmlrpc_off', 'login_limited'])
    assert.deepEqual(await attack('xmlrpc_off', site), [])
    await site.wpCli(['plugin', 'deactivate', 'svc-connector'])
    for (const id of [...rules, 'xmlrpc_off']) assert.ok((await attack(id, site)).length > 0, id)
    assert.equal(await readFile(join(site.dir, '.htaccess'), 'utf8'), before)
    await site.wpCli(['plugin', 'uninstall', 'svc-connector'])
    assert.equal(await site.wpCli(['option', 'list', '--search=*svc*', '--field=option_name']), '')
    assert.equal(await run('find', [site.dir, '-name', '*svc*']), '')
  })
})
