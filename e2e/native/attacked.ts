// Two real WordPress sites for attackers: one with the plugin alone, one that is paired with a service whose key the test holds.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ask } from '../../server/src/connector/ask.ts'
import type { SiteConnection } from '../../server/src/connector/exchange.ts'
import { createKeyPair } from '../../server/src/connector/keys.ts'
import { HELLO_TAG, VERB_TAG } from '../../server/src/connector/shapes.ts'
import { type MessageType, signRequest } from '../../server/src/connector/sign.ts'
import { SiteError } from '../../server/src/connector/site-error.ts'
import { createGuardedFetch } from '../../server/src/platform/guarded-fetch.ts'
import { CONNECTOR } from '../guest.ts'
import { type Answer, logIn } from '../visitor.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'
import { knockEverywhere, type Message, send } from './knock.ts'
import { query } from './mariadb.ts'
import { type OwnService, startOwnService } from './own-service.ts'

type Written = { headers: Record<string, string>; body: Buffer }
type Signing = Partial<Pick<SiteConnection, 'servicePrivateKey' | 'siteId' | 'keyid'>> & {
  hello?: boolean
  contentType?: MessageType
}

export interface Attacked {
  fleet: Fleet
  service: OwnService
  bare: NativeSite
  paired: NativeSite
  connection: SiteConnection
  /** Sessions on the paired site, as a `Cookie` header. */
  administrator: string
  subscriber: string
  sql(text: string): Promise<string>
  /** A verb with the real signature; why it was refused is the answer's text. */
  asked(verb: string, params: object, payload?: Buffer): Promise<Answer>
  /** A message as the service writes it, or nearly so. */
  written(body: Buffer, over?: Signing): Written
  /** The same without a signature, with one of a stranger, and with none where it should stand. */
  forged(body: Buffer, over?: Signing): Message[]
  close(): Promise<void>
}

export const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
export const named = (method: string, params: object = {}) => Buffer.from(JSON.stringify({ method, params }))
export const signedWith = ({ headers, body }: Written, signature: Buffer): Message => ({
  headers: { ...headers, signature: `svc=:${signature.toString('base64')}:` },
  body,
})
/** Each message at every door in both modes. */
export async function everywhere(site: NativeSite, messages: Message[], more = ''): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const message of messages) answers.push(...(await knockEverywhere(site, { ...message, more })))
  return answers
}

export async function openAttacked(): Promise<Attacked> {
  const service = await startOwnService()
  const spec = { wp: '7.1.1', db: 'mariadb' } as const
  const fleet = await startFleet([spec, spec], { plugins: [CONNECTOR], muPlugins: [join(import.meta.dirname, 'mu-leaky.php')] }).catch(
    async (error: unknown) => {
      await service.close()
      throw error
    },
  )
  try {
    return await furnished(fleet, service)
  } catch (error) {
    await fleet.stop()
    await service.close()
    throw error
  }
}

async function furnished(fleet: Fleet, service: OwnService): Promise<Attacked> {
  const outbound = createGuardedFetch({ allowPrivate: true })
  const [bare, paired] = fleet.sites
  assert.ok(bare && paired)
  const [connection] = await Promise.all([
    service.pair(paired),
    paired.wpCli(['user', 'create', 'reader', 'reader@example.invalid', '--role=subscriber', '--user_pass=password']),
  ])
  const session = (user: string, password: string) => logIn(paired.url, user, password)
  const [administrator, subscriber] = [await session(paired.adminUser, paired.adminPassword), await session('reader', 'password')]
  await warmUp(fleet, paired, [administrator, subscriber])
  const written: Attacked['written'] = (body, { hello = false, contentType = 'application/json', ...over } = {}) => {
    const { servicePrivateKey: privateKey, siteId, keyid } = { ...connection, ...over }
    const requestId = `req_${randomBytes(8).toString('hex')}`
    const created = Math.floor(Date.now() / 1000)
    const tag = hello ? HELLO_TAG : VERB_TAG
    return { headers: signRequest({ keyid, privateKey }, { body, contentType, siteId, requestId, tag, created }), body }
  }
  const stranger = createKeyPair().privateKey
  return {
    ...{ fleet, service, bare, paired, connection, administrator, subscriber, written },
    sql: (text) => query(fleet.dir, paired.database ?? '', text),
    forged: (body, over = {}) => [
      { headers: { 'content-type': 'application/json' }, body },
      written(body, { servicePrivateKey: stranger, ...over }),
      signedWith(written(body, over), Buffer.alloc(64)),
      signedWith(written(body, over), Buffer.alloc(0)),
    ],
    async asked(verb, params, payload) {
      const options = { door: 'front', retries: 0, probe: false, ...(payload && { payload }) } as const
      try {
        const deps = { fetch: outbound.fetch, now: () => new Date() }
        const { result } = await ask(deps, { ...connection, door: 'front', mode: 'headers' }, { method: verb, params }, options)
        return { status: 200, text: JSON.stringify(result), headers: {} }
      } catch (error) {
        if (!(error instanceof SiteError)) throw error
        return { status: 400, text: `${error.reason}: ${error.message}`, headers: {} }
      }
    },
    async close() {
      await fleet.stop()
      await service.close()
      await outbound.close()
    },
  }
}

/** What WordPress writes at the first visits is no effect of an attack. */
async function warmUp({ sites }: Fleet, { url }: NativeSite, sessions: string[]): Promise<void> {
  await Promise.all(sites.map(({ wpCli }) => wpCli(['cron', 'event', 'run', '--due-now'])))
  for (const site of sites) for (const path of ['/', '/wp-login.php', '/wp-json/', '/']) await send(site.url + path)
  for (const cookie of sessions)
    for (const page of ['', 'profile.php', 'plugins.php']) await send(`${url}/wp-admin/${page}`, { headers: { cookie } })
}
