// Keys: empty ones, those that do not open, and all that can be read.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { importSeed, rawPublicKey } from '../../../server/src/connector/keys.ts'
import { type Attacked, everywhere, sha256, signedWith } from '../attacked.ts'
import type { NativeSite } from '../fleet.ts'
import { knock, type Message, send } from '../knock.ts'
import { query } from '../mariadb.ts'
import { all, done, LOGIN, redeem, refused, shut, still, zero, zeroKey } from './common.ts'

/** Changes a field of the pairing, as a damaged database would, for as long as `act` takes. */
async function spoilt(here: Attacked, field: string, value: string, act: () => Promise<void>): Promise<void> {
  const row = "option_name = 'svc_connector_site'"
  const was = (await here.sql(`SELECT TO_BASE64(option_value) FROM wp_options WHERE ${row}`)).replaceAll(/\\n|\s/g, '')
  await here.sql(`UPDATE wp_options SET option_value = JSON_SET(option_value, '$.${field}', '${value}') WHERE ${row}`)
  await act()
  await here.sql(`UPDATE wp_options SET option_value = FROM_BASE64('${was}') WHERE ${row}`)
}

/** With a public key of zeros it holds for every fourth message, where that key is taken. */
const universal = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)])

export async function keysThatDoNotOpen(here: Attacked): Promise<void> {
  const { paired, written, asked } = here
  const messages = () => [
    written(LOGIN, { servicePrivateKey: zeroKey }),
    ...Array.from({ length: 6 }, () => signedWith(written(LOGIN), universal)),
    ...here.forged(LOGIN),
  ]
  const front = (each: Message[]) => all(each, (message) => knock(paired, 'front', 'headers', message))
  refused(await still(here, paired, () => everywhere(paired, messages().slice(0, 2))))
  for (const value of [zero.toString('base64'), '', '????'])
    await spoilt(here, 'public', value, async () => {
      for (const { text } of await still(here, paired, () => front([...messages(), written(LOGIN)])))
        assert.doesNotMatch(text, /login_url|"result"/)
    })
  for (const value of ['', Buffer.alloc(104).toString('base64')])
    await spoilt(here, 'site_secret', value, async () => assert.match((await asked('ping', {})).text, /^refused:salts/))
  await shut(paired)
  done(await asked('ping', {}))
}

export async function emptyKeys(here: Attacked): Promise<void> {
  const { paired, bare, fleet, sql, forged, written } = here
  const blank = { 'svc-protocol': '', 'svc-site': '', 'svc-request-id': '', 'signature-input': '', signature: '', 'content-digest': '' }
  const empty: Message[] = [
    { headers: blank, body: LOGIN },
    { headers: { ...blank, authorization: 'Bearer ', 'api-key': '', 'x-api-key': '' }, body: LOGIN },
    { headers: { ...written(LOGIN).headers, 'svc-site': '' }, body: LOGIN },
    { headers: { ...written(LOGIN).headers, signature: 'svc=::' }, body: LOGIN },
  ]
  refused(await still(here, paired, () => everywhere(paired, empty, 'api_key=&key=')))
  for (const svc_connector_ticket of ['', '0', 'A'.repeat(43)]) assert.equal((await redeem(paired, svc_connector_ticket)).status, 403)
  // A pairing that lost its record, or has one that is empty, has no key.
  const on = ({ database }: NativeSite, text: string) => query(fleet.dir, database ?? '', text)
  await on(bare, "UPDATE wp_options SET option_value = '1' WHERE option_name = 'svc_connector_on'")
  for (const record of ['', '{"site_id":"","public":"","keyid":""}', '{"site_id":"site_1","public":"","keyid":"k1"}']) {
    await on(bare, `REPLACE INTO wp_options (option_name, option_value, autoload) VALUES ('svc_connector_site', '${record}', 'no')`)
    const messages = [...empty, ...forged(LOGIN, { siteId: 'site_1' }), ...forged(LOGIN, { siteId: 'site_1', servicePrivateKey: zeroKey })]
    const answers = await still(here, bare, () => all(messages, (message) => knock(bare, 'ajax', 'headers', message)))
    for (const { text } of answers) assert.doesNotMatch(text, /login_url|"result"/)
    await shut(bare)
  }
  await on(bare, "DELETE FROM wp_options WHERE option_name = 'svc_connector_site'")
  await on(bare, "UPDATE wp_options SET option_value = '0' WHERE option_name = 'svc_connector_on'")
  assert.equal((await sql("SELECT count(*) FROM wp_svc_connector WHERE id LIKE '%row_t.%'")).trim(), '0')
}

/** What the database holds of the pairing. */
const recordOf = async ({ sql }: Attacked) =>
  JSON.parse((await sql("SELECT option_value FROM wp_options WHERE option_name = 'svc_connector_site'")).replaceAll('\\', '')) as Record<
    string,
    string
  >

const PAGES = [
  '',
  'profile.php',
  'plugins.php',
  'options-general.php?page=svc-connector',
  'site-health.php?tab=debug',
  'admin-ajax.php?action=svc_connector',
]
const ROUTES = ['', 'wp/v2/settings', 'wp/v2/users/me?context=edit', 'wp/v2/plugins', 'svc-connector/v1/rpc']
const places = [...PAGES.map((page) => `wp-admin/${page}`), ...ROUTES.map((route) => `wp-json/${route}`), '', '?svc-connector-login=x']

export async function shownSecrets(here: Attacked): Promise<void> {
  const { paired, sql, subscriber, administrator, connection, asked } = here
  done(await asked('login.issue', { ticket_sha256: sha256(randomBytes(9)), requester: 'x', ttl: 60 }))
  const record = await recordOf(here)
  const rows = (await sql('SELECT id FROM wp_svc_connector')).split('\n').filter(Boolean)
  const secrets = [...['site_secret', 'public', 'site_public', 'install_id'].map((name) => record[name] ?? ''), ...rows]
  assert.ok(secrets.length > 6 && secrets.every((text) => text.length > 40))
  const look = async (place: string, cookie: string) => (await send(`${paired.url}/${place}`, { headers: { cookie } })).text
  for (const cookie of ['', subscriber, administrator])
    for (const place of places) {
      const text = (await look(place, cookie)).replaceAll('\\/', '/')
      for (const secret of secrets) assert.ok(!text.includes(secret), `${place} shows a secret`)
      if (cookie !== administrator) assert.ok(!text.includes(connection.siteId), `${place} names the site id`)
    }
  const settings = await look('wp-admin/options-general.php?page=svc-connector', administrator)
  assert.match(settings, new RegExp(connection.siteId), 'an administrator does see the page')
}

export async function copiedDatabase(here: Attacked): Promise<void> {
  const { paired, sql, asked, written, connection } = here
  done(await asked('login.issue', { ticket_sha256: sha256(randomBytes(9)), requester: 'x', ttl: 60 }))
  const options = "SELECT option_name, option_value FROM wp_options WHERE option_name REGEXP 'svc|salt|key|secret'"
  const copy = (await sql(`${options}; SELECT * FROM wp_svc_connector`)).replaceAll('\\', '')
  const words = [...new Set(copy.match(/[A-Za-z0-9+/_=-]{16,}/g))]
  const bytes = words.flatMap((word) => [Buffer.from(word, 'base64'), Buffer.from(word, 'hex'), Buffer.from(sha256(word), 'hex')])
  // A key may stand anywhere among other bytes.
  const seeds = bytes.flatMap((each) => Array.from({ length: Math.max(0, each.length - 31) }, (_, at) => each.subarray(at, at + 32)))
  const keys = [...new Set(seeds.map((seed) => seed.toString('base64')))].map(importSeed)
  const pinned = await recordOf(here)
  assert.equal(pinned.public, rawPublicKey(connection.servicePrivateKey), 'the copy holds the record of the pairing')
  assert.ok(keys.length > 20 && copy.includes(pinned.public))
  for (const key of keys) assert.ok(![pinned.public, pinned.site_public].includes(rawPublicKey(key)), 'a private key lies in the database')
  const sign = (servicePrivateKey: (typeof keys)[number]) => knock(paired, 'front', 'headers', written(LOGIN, { servicePrivateKey }))
  refused(await still(here, paired, () => all(keys.slice(0, 12), sign)))
  const tickets = words.map((word) => word.slice(0, 43)).filter(({ length }) => length === 43)
  for (const { status } of await still(here, paired, () => all(tickets, (each) => redeem(paired, each)))) assert.equal(status, 403)
}
