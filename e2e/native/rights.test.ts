// Who may hand a real WordPress to a service: in a network its administrators only, elsewhere who has all the rights that are given away.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { connectInAdmin, cookiesOf, disconnectInAdmin, logIn, NETWORK_PAGE, postTicket } from '../visitor.ts'
import { person } from './admins.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'
import { query } from './mariadb.ts'
import { BELOW, makeNetwork } from './network.ts'

/** Writes down who logs in, as a record of logins does; asks for a second factor where that is wanted, as such plugins do. */
const LOGINS = `<?php
add_action( 'wp_login', function ( $login, $user ) {
	update_option( 'seen_login', $login . ' ' . $user->ID );
	if ( get_option( 'second_factor' ) ) {
		wp_clear_auth_cookie();
		status_header( 403 );
		exit( 'Your second factor, please.' );
	}
}, 10, 2 );
`

let house: House
let mirror: Mirror
let fleet: Fleet
let network: NativeSite
let single: NativeSite
before(async () => {
  house = await openHouse()
  mirror = await startMirror()
  const logins = join(house.dir, 'mu-logins.php')
  await writeFile(logins, LOGINS)
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb', nginx: BELOW },
      { wp: '7.1.1', db: 'mariadb' },
    ],
    {
      plugins: [CONNECTOR],
      muPlugins: [logins, join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
      constants: { WPORG_MIRROR: mirror.url },
    },
  )
  ;[network, single] = fleet.sites as [NativeSite, NativeSite]
  await makeNetwork(network)
  await network.wpCli(['plugin', 'activate', 'svc-connector', `--url=${network.url}/sub`])
})
after(async () => {
  await fleet?.stop()
  await mirror?.stop()
  await house?.close()
})

const form = async () => ({ svc_connector_url: house.url, svc_connector_code: await house.pairingCode() })
/** For want of rights, not of a nonce. */
function refused({ status, text }: { status: number; text: string }, who: string): void {
  assert.match(`${status} ${text}`, /^403 .*You are not allowed to do this/s, who)
}
const stateOf = (native: NativeSite) => native.wpCli(['svc-connector', 'status']).catch(String)
const sites = () => house.ask<Site[]>('GET', '/sites')
const connected = (native: NativeSite) =>
  until(`${native.url} connected`, async () => (await sites()).find(({ url, status }) => url === native.url && status === 'connected'))
/** Any test may come first, or alone. */
async function paired(native: NativeSite): Promise<Site> {
  if (/Not connected\./.test(await stateOf(native)))
    await native.wpCli(['svc-connector', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
  return connected(native)
}
const page = async (url: string, session: string) => (await fetch(url, { headers: { cookie: session }, redirect: 'manual' })).status

test('in a network no administrator of a site, not even of the main site, reaches the page or pairs by its form', async () => {
  for (const [login, below] of [
    ['local', ''],
    ['sub', '/sub'],
  ] as const) {
    const session = await logIn(`${network.url}${below}`, login, 'password')
    assert.equal(await page(`${network.url}${below}/wp-admin/`, session), 200, 'he is logged in')
    for (const path of [`${below}/wp-admin/options-general.php?page=svc-connector`, `/wp-admin/${NETWORK_PAGE}`])
      assert.notEqual(await page(network.url + path, session), 200, `${login} at ${path}`)
    refused(await person(network, login, session, below).post('connect', await form()), login)
    assert.match(await stateOf(network), /Not connected/)
  }
  await assert.rejects(
    network.wpCli(['svc-connector', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`, '--user=local']),
    /network administrator/,
  )
  assert.deepEqual(await sites(), [])
})

test('a network administrator pairs on the page of the network, and who is none cannot end it', async () => {
  const session = await logIn(network.url, network.adminUser, network.adminPassword)
  assert.match(
    await connectInAdmin({ site: network.url, session, page: NETWORK_PAGE }, house.url, await house.pairingCode()),
    /now known to the service/,
  )
  await connected(network)
  for (const [login, below] of [
    ['local', ''],
    ['sub', '/sub'],
  ] as const) {
    const own = await logIn(`${network.url}${below}`, login, 'password')
    refused(await person(network, login, own, below).post('disconnect'), login)
  }
  // Another site of the network has the plugin for itself, and ends nothing with it.
  await network.wpCli(['plugin', 'deactivate', 'svc-connector', `--url=${network.url}/sub`])
  assert.match(await stateOf(network), /Connected/)
})

test('forms without a nonce of this person and this form change nothing', async () => {
  await paired(network)
  const session = await logIn(network.url, network.adminUser, network.adminPassword)
  const admin = person(network, network.adminUser, session)
  const nonce = /name="_wpnonce" value="(\w+)"/.exec(
    await (await fetch(`${network.url}/wp-admin/${NETWORK_PAGE}`, { headers: { cookie: session } })).text(),
  )?.[1]
  assert.ok(nonce, 'the page shows the form that ends the connection')
  for (const wrong of ['', '0123456789']) assert.equal((await admin.post('disconnect', {}, wrong)).status, 403)
  for (const wrong of ['', '0123456789', nonce]) assert.equal((await admin.post('connect', await form(), wrong)).status, 403)
  assert.match(await stateOf(network), /Connected/)
})

test('a link lets network administrators in, as long as they are that', async () => {
  const site = await paired(network)
  const login = (user: string) => house.send('POST', `/sites/${site.id}/actions`, { action: 'login', user })
  assert.notEqual((await login('local')).status, 200)
  const { url } = (await (await login('second')).json()) as { url: string }
  const { url: late } = (await (await login('second')).json()) as { url: string }
  const cookie = cookiesOf(await postTicket(url))
  assert.equal(await page(`${network.url}/wp-admin/network/`, cookie), 200)
  await network.wpCli(['super-admin', 'remove', 'second'])
  assert.equal((await postTicket(late)).status, 403)
})

test('a pairing is replaced by nobody before it was ended, and the service hears of the end', async () => {
  const { id } = await paired(network)
  const session = await logIn(network.url, network.adminUser, network.adminPassword)
  const { text } = await person(network, network.adminUser, session).post('connect', await form())
  assert.match(text, /connected with http.*Disconnect it first/)
  await assert.rejects(
    network.wpCli(['svc-connector', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`]),
    /Disconnect it first/,
  )
  assert.equal((await house.send('POST', `/sites/${id}/actions`, { action: 'ping' })).status, 200)
  await disconnectInAdmin({ site: network.url, session, page: NETWORK_PAGE })
  await until('The service hears of it', async () => ((await sites())[0]?.status === 'disconnected' ? true : undefined))
})

test('on a single site a role with settings alone, or without files or accounts, pairs nothing', async () => {
  const roles = {
    steward: ['manage_options'],
    keeper: ['manage_options', 'activate_plugins', 'install_plugins', 'update_plugins', 'update_core'],
    clerk: ['manage_options', 'activate_plugins', 'edit_users', 'promote_users'],
  }
  for (const [role, rights] of Object.entries(roles)) {
    await single.wpCli(['role', 'create', role, role])
    await single.wpCli(['cap', 'add', role, 'read', ...rights])
    await single.wpCli(['user', 'create', role, `${role}@example.invalid`, `--role=${role}`, '--user_pass=password'])
    const session = await logIn(single.url, role, 'password')
    assert.equal(await page(`${single.url}/wp-admin/options-general.php`, session), 200, 'he has the settings')
    assert.notEqual(await page(`${single.url}/wp-admin/options-general.php?page=svc-connector`, session), 200)
    refused(await person(single, role, session).post('connect', await form()), role)
  }
  assert.match(await stateOf(single), /Not connected/)
})

test('an administrator pairs where wp-config.php forbids changes of files too', async () => {
  await single.wpCli(['config', 'set', 'DISALLOW_FILE_MODS', 'true', '--raw', '--anchor=$table_prefix'])
  const session = await logIn(single.url, single.adminUser, single.adminPassword)
  assert.match(await connectInAdmin({ site: single.url, session }, house.url, await house.pairingCode()), /now known to the service/)
  await connected(single)
  await single.wpCli(['config', 'delete', 'DISALLOW_FILE_MODS'])
})

test('records of logins see a one-click login, and second factors stand in its way', async () => {
  const { id } = await paired(single)
  const enter = async () => postTicket((await house.ask<{ url: string }>('POST', `/sites/${id}/actions`, { action: 'login' })).url)
  const entered = await enter()
  assert.equal(entered.status, 302)
  assert.equal(await single.wpCli(['option', 'get', 'seen_login']), 'admin 1')
  await single.wpCli(['option', 'add', 'second_factor', '1'])
  const stopped = await enter()
  assert.deepEqual([stopped.status, await stopped.text()], [403, 'Your second factor, please.'])
  assert.notEqual(await page(`${single.url}/wp-admin/profile.php`, cookiesOf(stopped)), 200)
  await single.wpCli(['option', 'delete', 'second_factor'])
})

test('no directory offers another plugin in place of the connector, and the zip of the service goes over it', async () => {
  const { id } = await paired(single)
  mirror.offer({ plugins: { 'svc-connector/svc-connector.php': '9.9' } })
  const offers = `delete_site_transient( 'update_plugins' ); wp_update_plugins(); $o = get_site_transient( 'update_plugins' ); echo count( $o->checked ), ' known, ', count( (array) ( $o->response ?? array() ) ), ' offered; ';
    $o->response['svc-connector/svc-connector.php'] = (object) array( 'new_version' => '9.9', 'package' => 'http://x.invalid/' ); set_site_transient( 'update_plugins', $o );
    echo count( get_site_transient( 'update_plugins' )->response ), ' offered by whoever got around that';`
  assert.match(await single.wpCli(['eval', offers]), /^[1-9]\d* known, 0 offered; 0 offered by whoever got around that$/)
  const zip = join(single.dir, '../tmp/svc-connector.zip')
  await writeFile(zip, new Uint8Array(await (await fetch(`${house.url}/connector/svc-connector.zip`)).arrayBuffer()))
  await rm(join(single.dir, 'wp-content/plugins/svc-connector/readme.txt'))
  assert.match(await single.wpCli(['plugin', 'install', zip, '--force']), /updated successfully/i)
  assert.match(await single.wpCli(['plugin', 'status', 'svc-connector']), /Active/)
  assert.equal((await house.send('POST', `/sites/${id}/actions`, { action: 'ping' })).status, 200)
})

test('sixty wrong passwords from one address leave forty rows, however many names are tried', async () => {
  await single.wpCli(['option', 'update', 'svc_connector_tweaks', 'login_limited', '--autoload=yes'])
  const wrong = async (name: string) => {
    const body = new URLSearchParams({ log: name, pwd: 'wrong' })
    return (await fetch(`${single.url}/wp-login.php`, { method: 'POST', body })).status
  }
  const seen: number[] = []
  for (let n = 0; n < 60; n++) seen.push(await wrong(`name${n}`))
  assert.deepEqual([seen.slice(0, 20).includes(429), seen.slice(20).every((status) => status === 429)], [false, true])
  const rows = "SELECT count(*) FROM wp_svc_connector WHERE id LIKE 'svc\\_connector\\_row\\_l.%'"
  assert.equal(Number(await query(fleet.dir, single.database ?? '', rows)), 40)
})
