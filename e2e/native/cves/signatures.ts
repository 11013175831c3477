// Whoever has no signature of the service, in every disguise.
import assert from 'node:assert/strict'
import { VERBS } from '../../../server/src/connector/commands.ts'
import type { Answer } from '../../visitor.ts'
import { type Attacked, everywhere, named } from '../attacked.ts'
import { knock, type Message, send } from '../knock.ts'
import { all, done, LOGIN, redeem, refused, shut, still, ticket } from './common.ts'

export async function namedActions(here: Attacked): Promise<void> {
  const { paired, forged } = here
  refused(await still(here, paired, () => everywhere(paired, forged(LOGIN))))
  for (const verb of Object.keys(VERBS)) {
    const params = { job: 'job_1', fence: 1, username: 'admin', user: 'admin' }
    const [, message = {}] = forged(named(verb, params), { hello: verb === 'hello' })
    refused([await knock(paired, 'front', 'headers', message)])
  }
  const old = JSON.stringify({ iwp_action: 'add_site', params: { username: 'admin' } })
  refused(await still(here, paired, () => everywhere(paired, [{ body: old }, { body: Buffer.from(old).toString('base64') }])))
  await shut(paired)
}

export async function markedBodies(here: Attacked): Promise<void> {
  const { paired, bare } = here
  const markers = ['IWP_JSON_PREFIX', 'svc_envelope', 'svc-connector-v1', '-----SVC-BEGIN-----']
  const bodies = markers.map((marker) => ({ body: `${marker}${LOGIN.toString('base64')}` }))
  refused(await still(here, paired, () => everywhere(paired, [...bodies, { body: `${LOGIN}${markers}` }])))
  await still(here, bare, () => everywhere(bare, bodies.slice(0, 2)))
  await shut(paired)
}

export async function markedAddresses(here: Attacked): Promise<void> {
  const { paired } = here
  const headers = {
    'svc-protocol': '1',
    'svc-site': here.connection.siteId,
    'user-agent': 'svc-connector-v1 service',
    cookie: 'svc=1; wptc=1',
  }
  const more = 'wptc=1&IWP_JSON_PREFIX=1&svc=1&user=admin&svc_connector_ticket=1'
  refused(await still(here, paired, () => everywhere(paired, [{ headers, body: LOGIN }], more)))
  const session = { cookie: 'wordpress_logged_in_x=admin; svc_connector=admin' }
  const pages = await still(here, paired, () =>
    all(['/wp-admin/?svc=1', `/wp-admin/?${more}`], (path) => send(paired.url + path, { headers: session })),
  )
  for (const { status } of pages) assert.equal(status, 302)
}

export async function unpairedSite(here: Attacked): Promise<void> {
  const { bare, forged } = here
  const tried = async () => [
    ...(await everywhere(bare, [...forged(LOGIN).slice(0, 2), ...forged(named('hello'), { hello: true }).slice(1, 2)])),
    await redeem(bare),
    await redeem(bare, ''),
    await send(`${bare.url}/?svc-connector-login=${ticket}`),
  ]
  const withPlugin = await still(here, bare, tried)
  await bare.wpCli(['plugin', 'deactivate', 'svc-connector'])
  const without = await tried()
  await bare.wpCli(['plugin', 'activate', 'svc-connector'])
  const seen = (answers: Answer[]) => answers.map(({ status, text, headers: { date, ...headers } }) => ({ status, text, headers }))
  assert.deepEqual(seen(withPlugin), seen(without))
}

export async function directRequests(here: Attacked): Promise<void> {
  const { paired, forged } = here
  const ways = ['origin=mo&type=login', 'origin=mo&type=request', 'origin=svc&direct=1', 'type[]=login&origin[]=mo']
  const answers = await still(here, paired, async () => [
    ...(await all(ways, (more) => send(`${paired.url}/api/modular-connector/login/1?${more}`))),
    ...(await all(ways, (more) => send(`${paired.url}/?svc-connector-login=x&${more}`))),
    ...(await all(ways, (more) => send(`${paired.url}/wp-json/svc-connector/v1/rpc?${more}`))),
  ])
  for (const { status } of answers) assert.ok([200, 301, 403, 404].includes(status), String(status))
  for (const more of ways) refused(await still(here, paired, () => everywhere(paired, forged(LOGIN).slice(0, 2), more)))
  await shut(paired)
}

export async function borrowedSignatures(here: Attacked): Promise<void> {
  const { paired, connection, written } = here
  const good = written(named('ping'))
  done(await knock(paired, 'front', 'headers', good))
  const fresh = () => written(named('ping'))
  const changed: Message[] = [
    good,
    { ...fresh(), body: LOGIN },
    { ...fresh(), headers: { ...fresh().headers, 'svc-request-id': 'req_0' } },
    { ...fresh(), headers: { ...fresh().headers, 'svc-site': 'site_0' } },
    { ...fresh(), headers: { ...fresh().headers, 'content-type': 'application/octet-stream' } },
    written(LOGIN, { siteId: 'site_01another' }),
    written(LOGIN, { keyid: 'k2' }),
    written(LOGIN, { keyid: 's1' }),
    written(LOGIN, { hello: true }),
  ]
  assert.equal(connection.keyid, 'k1')
  refused(await still(here, paired, () => everywhere(paired, changed), true))
  await shut(paired)
}
