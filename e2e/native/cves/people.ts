// Sessions of other people: an administrator on a hostile page, and a subscriber with nonces that another plugin gave away.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type Attacked, everywhere, named, sha256 } from '../attacked.ts'
import { knock, send } from '../knock.ts'
import { all, done, form, LOGIN, redeem, refused, still } from './common.ts'

export async function pressedFromElsewhere(here: Attacked): Promise<void> {
  const { paired, service, administrator, subscriber } = here
  const before = service.requests.length
  const nonce = async (action: string, cookie: string) => (await send(`${paired.url}/?leak=${action}`, { headers: { cookie } })).text
  const [connect, disconnect] = ['svc_connector_connect', 'svc_connector_disconnect']
  const fields = { svc_connector_url: service.url, svc_connector_code: 'AAAAA-AAAAA-AAAAA-AAAAA' }
  const attempts: Record<string, string>[] = [
    { action: connect, ...fields },
    { action: connect, ...fields, _wpnonce: '' },
    { action: connect, ...fields, _wpnonce: await nonce(connect, subscriber) },
    { action: connect, ...fields, _wpnonce: await nonce('-1', administrator) },
    { action: disconnect },
    { action: disconnect, _wpnonce: await nonce(connect, administrator) },
    { action: disconnect, _wpnonce: await nonce(disconnect, '') },
  ]
  const at = `${paired.url}/wp-admin/admin-post.php`
  await still(here, paired, () => all(attempts, (each) => send(at, form(each, administrator))))
  await still(here, paired, () =>
    all(attempts, (each) => send(`${at}?${new URLSearchParams(each)}`, { headers: { cookie: administrator } })),
  )
  // A subscriber to whom another plugin gave the right nonce is still none who may.
  const leaked = [connect, disconnect].map(async (action) => ({ action, ...fields, _wpnonce: await nonce(action, subscriber) }))
  const answers = await still(here, paired, async () => all(await Promise.all(leaked), (each) => send(at, form(each, subscriber))))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [403, 403],
  )
  assert.equal(service.requests.length, before, 'no service heard of it')
}

const heartbeat = (here: Attacked, data: Record<string, string>, nonce: string, cookie: string) => {
  const fields = Object.entries(data).map(([name, value]) => [`data[${name}]`, value])
  return send(
    `${here.paired.url}/wp-admin/admin-ajax.php`,
    form({ action: 'heartbeat', screen_id: 'dashboard', _nonce: nonce, ...Object.fromEntries(fields) }, cookie),
  )
}

const leak = async (here: Attacked, action: string) =>
  (await send(`${here.paired.url}/?leak=${action}`, { headers: { cookie: here.subscriber } })).text

export async function heartbeats(here: Attacked): Promise<void> {
  const { paired, subscriber, connection } = here
  const names = ['svc', 'svc-connector', 'svc_connector', 'svc_connector_site', 'wp-mainwp-stream-heartbeat', 'connector']
  const data = Object.fromEntries(names.map((name) => [name, 'live-update']))
  const [answer] = await still(here, paired, async () => [await heartbeat(here, data, await leak(here, 'heartbeat-nonce'), subscriber)])
  const told = JSON.parse(answer?.text ?? '') as Record<string, unknown>
  assert.deepEqual(
    Object.keys(told).filter((name) => !['wp-auth-check', 'server_time'].includes(name)),
    [],
  )
  assert.doesNotMatch(answer?.text ?? '', new RegExp(`${connection.siteId}|svc`))
}

export async function leakedNonces(here: Attacked): Promise<void> {
  const { paired, subscriber, asked } = here
  const files = [{ p: 'wp-config.php', o: 0, n: 4000 }]
  const position = { table: 'wp_users', after: null, offset: 0, max_items: 100, max_bytes: 1e6, budget_ms: 4000 }
  const read = await still(
    here,
    paired,
    async () => [
      await asked('files.read', { root: 'abspath', items: files, max_bytes: 1e6, budget_ms: 4000 }),
      await asked('db.rows', position),
    ],
    true,
  )
  for (const answer of read) done(answer)
  const names = ['updraftplus', 'svc', 'svc_connector_download', 'backup']
  const nonces = await Promise.all([...names, 'heartbeat-nonce', 'wp_rest'].map((name) => leak(here, name)))
  const answers = await still(here, paired, () =>
    all(nonces, async (nonce) => {
      const fields = {
        action: 'svc',
        subaction: 'download',
        nonce,
        _wpnonce: nonce,
        type: 'db',
        file: 'wp-config.php',
        method: 'files.read',
      }
      return send(`${paired.url}/wp-admin/admin-ajax.php?action=svc_connector`, form(fields, subscriber))
    }),
  )
  refused(answers)
  const data = Object.fromEntries(names.map((name) => [name, 'log']))
  for (const { text } of await still(here, paired, () => all(nonces, (nonce) => heartbeat(here, data, nonce, subscriber))))
    assert.doesNotMatch(text, /svc/)
}

export async function madeUsers(here: Attacked): Promise<void> {
  const { paired, bare, asked } = here
  const fields = {
    wpgateway: '1',
    action: 'create_admin',
    user_login: 'evil',
    user_pass: 'evil',
    user_email: 'e@example.invalid',
    role: 'administrator',
  }
  for (const site of [paired, bare]) {
    await still(here, site, () =>
      all(['/', '/wp-login.php', '/wp-admin/admin-ajax.php?action=svc_connector', '/wp-json/svc-connector/v1/users'], (path) =>
        send(site.url + path, form(fields)),
      ),
    )
    await still(here, site, () => everywhere(site, [{ body: named('users.create', fields) }]))
  }
  const invented = 'users.create users.update options.set php.run eval sql.run db.query shell exec files.write plugins.install'.split(' ')
  const answers = await still(here, paired, () => all(invented, (verb) => asked(verb, fields)), true)
  for (const { text } of answers) assert.match(text, /^error:unknown_verb/)
}

export async function raisedUsers(here: Attacked): Promise<void> {
  const { paired, subscriber, asked, sql, forged } = here
  const session = { cookie: subscriber }
  const messages = forged(LOGIN).map(({ headers, body }) => ({ headers: { ...headers, ...session }, body: body ?? '' }))
  refused(await still(here, paired, () => all(messages, (message) => knock(paired, 'ajax', 'headers', message))))
  refused(await still(here, paired, () => all(messages, (message) => knock(paired, 'front', 'headers', message))))
  const rights = await still(here, paired, () =>
    all(['wp_capabilities', 'role', 'svc_role'], (name) =>
      send(`${paired.url}/wp-admin/admin-ajax.php?action=svc_connector`, form({ [name]: 'administrator', user: 'reader' }, subscriber)),
    ),
  )
  refused(rights)
  for (const user of ['reader', 'reader@example.invalid', '2', 'nobody'])
    assert.match((await asked('login.issue', { ticket_sha256: sha256(`t ${user}`), user, requester: 'x', ttl: 60 })).text, /^error:/)
  const mine = randomBytes(32).toString('base64url')
  // Who is no administrator any more when the link is used is not let in.
  done(await asked('login.issue', { ticket_sha256: sha256(mine), user: 'admin', requester: 'x', ttl: 60 }))
  await sql("UPDATE wp_usermeta SET meta_value = 'a:1:{s:10:\"subscriber\";b:1;}' WHERE user_id = 1 AND meta_key = 'wp_capabilities'")
  const late = await redeem(paired, mine)
  await sql("UPDATE wp_usermeta SET meta_value = 'a:1:{s:13:\"administrator\";b:1;}' WHERE user_id = 1 AND meta_key = 'wp_capabilities'")
  assert.deepEqual([late.status, late.headers['set-cookie']], [403, undefined])
}
