// Tweaks that change files, on real sites: rules of Apache, lines for nginx, secrets in wp-config.php. And the end of them all.
import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { run } from '../../demo/npm.ts'
import { known } from '../../server/src/tweaks/table.ts'
import { until } from '../house.ts'
import { logIn } from '../visitor.ts'
import { attack, type Managed, openTweakHouse, type TweakHouse } from './tweak-house.ts'

const rules = ['directory_listing_off', 'uploads_php_off', 'readme_blocked']
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

/** `bare` has no rules and no secrets, `pasted` has the rules in its nginx; `trap` follows in uploads what it rejects everywhere else. */
let here: TweakHouse
before(async () => {
  here = await openTweakHouse(() => ({
    apache: { wp: '7.1.1', db: 'mariadb', apache: { overrides: 'All' } },
    strict: { wp: '7.1.1', db: 'sqlite', apache: { overrides: mostOverrides } },
    deaf: { wp: '7.1.1', db: 'sqlite', apache: { overrides: 'None' } },
    trap: { wp: '6.1.9', db: 'mariadb', apache: { overrides: mostOverrides, uploads: 'All' } },
    bare: { wp: '7.1.1', db: 'sqlite', constants: weakSalts },
    pasted: { wp: '7.1.1', db: 'sqlite', nginx: pasted },
  }))
})
after(() => here?.close())

const proves = (name: string, ids: string[]) =>
  test(`${ids.join(', ')} on the site ${name}: the attack works, is stopped, and works again`, () => here.proves(here.site(name), ids))

describe('through rules of the web server', () => {
  proves('apache', rules)

  test('the block is marked, and taking it out leaves every byte as it was', async () => {
    const site = here.site('apache')
    const file = join(site.dir, '.htaccess')
    const before = await readFile(file, 'utf8')
    await here.order(site, 'apply', rules)
    assert.match(await readFile(file, 'utf8'), /^# BEGIN Svc Connector 1 readme_blocked\n[\s\S]*# END Svc Connector readme_blocked\n/)
    await writeFile(file, (await readFile(file, 'utf8')).replace(/# BEGIN Svc Connector 1 readme_blocked[\s\S]*?# END .*\n/, ''))
    const { readme_blocked } = await here.states(site)
    assert.deepEqual([readme_blocked?.state, readme_blocked?.already_by], ['drifted', null])
    await here.order(site, 'apply', ['readme_blocked'])
    assert.deepEqual(await attack('readme_blocked', site), [])
    await here.order(site, 'revert', rules)
    assert.equal(await readFile(file, 'utf8'), before)
    assert.equal(await run('find', [join(site.dir, 'wp-content/uploads'), '-name', '*svc*', '-o', '-name', '.ht*']), '')
  })

  test('a rule the server rejects is found out in a trial folder; the site never answers with an error', async () => {
    const site = here.site('strict')
    const before = await readFile(join(site.dir, '.htaccess'), 'utf8')
    const seen = new Set<number>()
    let watching = true
    const watch = (async () => {
      while (watching) seen.add((await fetch(site.url)).status)
    })()
    const [listing, readme] = await here.order(site, 'apply', ['directory_listing_off', 'readme_blocked'])
    watching = false
    await watch
    assert.equal(listing?.status, 'refused')
    assert.match(listing?.reason ?? '', /does not allow this rule in \.htaccess.*not touched/)
    assert.equal(readme?.status, 'applied', JSON.stringify(readme))
    assert.deepEqual([...seen], [200])
    await here.order(site, 'revert', ['readme_blocked'])
    assert.equal(await readFile(join(site.dir, '.htaccess'), 'utf8'), before)
  })

  test('a server that does not read such files is told from one that does', async () => {
    const site = here.site('deaf')
    const [item] = await here.order(site, 'apply', ['uploads_php_off'])
    assert.equal(item?.status, 'refused')
    assert.match(item?.reason ?? '', /does not follow \.htaccess/)
    assert.equal(await run('find', [join(site.dir, 'wp-content/uploads'), '-name', '.htaccess']), '')
  })

  test('a change that shuts the site is taken back by the site itself, though nobody can reach it', async () => {
    const site = here.site('trap')
    const before = await readFile(join(site.dir, '.htaccess'), 'utf8')
    const [item] = await here.order(site, 'apply', ['directory_listing_off'])
    assert.equal(item?.status, 'failed', JSON.stringify(item))
    assert.match(item?.reason ?? '', /taken it back by itself\.$/)
    await until('the site as it was', async () => ((await fetch(site.url)).status === 200 ? true : undefined))
    assert.equal(await readFile(join(site.dir, '.htaccess'), 'utf8'), before)
    assert.equal((await here.states(site)).directory_listing_off?.state, 'not_applied')
  })

  test('nginx gets words to paste; once pasted, it is seen to work', async () => {
    const { readme_blocked } = await here.states(here.site('bare'))
    assert.equal(readme_blocked?.state, 'not_applicable')
    assert.equal(readme_blocked?.snippet, known('readme_blocked').nginx)
    const [refused] = await here.order(here.site('bare'), 'apply', ['uploads_php_off'])
    assert.deepEqual([refused?.status, await attack('uploads_php_off', here.site('bare'))], ['refused', ['a program that runs']])
    const pasted = await here.states(here.site('pasted'))
    for (const id of snippets) {
      assert.deepEqual([id, pasted[id]?.state, pasted[id]?.already_by], [id, 'applied', 'something else on this site or its server'])
      assert.deepEqual(await attack(id, here.site('pasted')), [])
    }
    assert.equal((await here.order(here.site('pasted'), 'apply', ['uploads_php_off']))[0]?.status, 'already')
  })
})

describe('the secrets of wp-config.php', () => {
  test('known ones become random, sessions end, and the connection does not', async () => {
    const site = here.site('bare')
    assert.equal((await here.states(site)).salts_rotated?.state, 'not_applied')
    await renew(site, {})
    assert.equal((await here.states(site)).salts_rotated?.state, 'applied')
    assert.doesNotMatch(await readFile(join(site.dir, 'wp-config.php'), 'utf8'), /unique phrase/)
  })

  test('good ones are left alone, unless they are to be renewed all the same', async () => {
    for (const site of [here.site('apache'), here.site('trap')]) {
      assert.equal((await here.order(site, 'apply', ['salts_rotated']))[0]?.status, 'already')
      await renew(site, { again: true })
      await renew(site, { again: true })
    }
  })

  async function renew(site: Managed, more: object): Promise<void> {
    const file = join(site.dir, 'wp-config.php')
    const [was, mode] = [await readFile(file, 'utf8'), await stat(file)]
    const cookie = await logIn(site.url, site.adminUser, site.adminPassword)
    const enters = async () => (await fetch(`${site.url}/wp-admin/`, { headers: { cookie }, redirect: 'manual' })).status
    assert.equal(await enters(), 200)
    const [item] = await here.order(site, 'apply', ['salts_rotated'], more)
    assert.equal(item?.status, 'applied', JSON.stringify(item))
    assert.equal(await enters(), 302, 'a stolen session has ended')
    const [is, now] = [await readFile(file, 'utf8'), await stat(file)]
    assert.notEqual(is, was)
    assert.deepEqual([now.mode, now.uid, now.gid], [mode.mode, mode.uid, mode.gid])
    const without = (text: string) => text.replaceAll(/(_(?:KEY|SALT)', )'[^']*'/g, '$1')
    assert.equal(without(is), without(was), 'nothing else changed')
    assert.equal((await here.house.ask<{ ok: boolean }>('POST', `/sites/${site.id}/actions`, { action: 'ping' })).ok, true)
    assert.match(await site.wpCli(['svc-connector', 'status']), /^Connected$/m)
    assert.doesNotMatch(await site.wpCli(['option', 'get', 'svc_connector_site']), /other_secret/)
  }
})

describe('the end', () => {
  test('deactivating the connector takes everything back, and deleting it leaves nothing behind', async () => {
    const site = here.site('apache')
    const before = await readFile(join(site.dir, '.htaccess'), 'utf8')
    await here.order(site, 'apply', [...rules, 'xmlrpc_off', 'login_limited'])
    assert.deepEqual(await attack('xmlrpc_off', site), [])
    await site.wpCli(['plugin', 'deactivate', 'svc-connector'])
    for (const id of [...rules, 'xmlrpc_off']) assert.ok((await attack(id, site)).length > 0, id)
    assert.equal(await readFile(join(site.dir, '.htaccess'), 'utf8'), before)
    await site.wpCli(['plugin', 'uninstall', 'svc-connector'])
    assert.equal(await site.wpCli(['option', 'list', '--search=*svc*', '--field=option_name']), '')
    assert.equal(await run('find', [site.dir, '-name', '*svc*']), '')
  })
})
