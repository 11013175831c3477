import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import type { AskOptions, Deps, SiteConnection } from '../connector/ask.ts'
import type { Door, Mode } from '../connector/doors.ts'
import { importPublicKey, importSeed } from '../connector/keys.ts'
import { SiteError } from '../connector/site-error.ts'
import { Problem } from '../kernel/problem.ts'
import type { GuardedFetch } from '../platform/guarded-fetch.ts'
import { open } from '../platform/master-key.ts'
import { type WorkspaceKey, workspaceKey } from '../workspaces/keys.ts'
import type { Context, Db } from '../world.ts'
import { accessTo, fetchWith, headersFor, opened } from './access.ts'
import type { Site, SiteSecrets } from './schema.ts'
import { findSecrets, type SiteFacts, updateSite } from './store.ts'

export type Talker = Pick<Context, 'db' | 'wire' | 'masterKey' | 'now' | 'changed' | 'workspaceId'>

/** What every answer of a site tells beside its result. */
interface Heard {
  latencyMs: number
  door: Door
  mode: Mode
  skewSeconds: number
}

export const sealContext = (siteId: string) => `service key of ${siteId}`

const unpaired =
  'This site is disconnected. Make a code for it (in the dashboard in its settings, under Pair anew, or by site code --site) and pair it again from its WordPress admin.'
const unproven =
  'This site has not answered at its own address since it was paired, so nothing else is asked of it. connection.last_error says what stands in the way: mend that, then have it asked again, by svc sites ping or with Ask the site now in the dashboard.'

/** Throws `conflict` for a site that nothing may be done to, because it is not the one that was paired; `so` says what is not done. */
export function mustBePaired({ id, status }: Pick<Site, 'id' | 'status'>, so: string, or: readonly Site['status'][] = []): void {
  if (isUnpaired(status) || or.includes(status))
    throw new Problem('conflict', `The site ${id} is ${inWords(status)}, so ${so}.`, { retryable: false })
}

export const isUnpaired = (status: Site['status']) => status === 'disconnected' || status === 'clone_detected'
export const inWords = (status: Site['status']) => status.replace('_', ' ')

/** All that is needed to ask one site; throws `conflict` for a site that is no longer paired, or has not shown yet that it is where it says. */
export async function connectionOf(talker: Talker, site: Pick<Site, 'id'>): Promise<SiteConnection> {
  const secrets = await secretsOf(talker, site)
  if (secrets.status === 'pending') throw new Problem('conflict', unproven, { retryable: false })
  return connectionWith(talker, site, secrets)
}

/** The keys of a site that is paired, whether it has shown where it is or not. */
export async function secretsOf(talker: Talker, { id }: Pick<Site, 'id'>): Promise<SiteSecrets> {
  const secrets = await findSecrets(talker, id)
  if (!secrets) throw new Problem('not_found', 'There is no such site in this workspace. list_sites (GET /sites) shows those there are.')
  if (secrets.status === 'disconnected') throw new Problem('conflict', unpaired, { retryable: false })
  return secrets
}

export async function connectionWith(talker: Talker, site: Pick<Site, 'id'>, secrets: SiteSecrets): Promise<SiteConnection> {
  const key = await workspaceKey(talker, talker.workspaceId)
  const access = await opened(talker, site.id, secrets.sealed_access)
  const { service, own } = keysOf(key, site.id, secrets)
  return {
    siteId: site.id,
    url: secrets.url,
    home: secrets.home,
    servicePrivateKey: service,
    keyid: secrets.keyid,
    siteKeys: [{ keyid: 's1', key: own }],
    door: (secrets.door ?? undefined) as Door | undefined,
    mode: (secrets.mode ?? undefined) as Mode | undefined,
    skewSeconds: secrets.skew_s,
    sliceBytes: secrets.slice_bytes ?? undefined,
    headers: headersFor(access),
    standing: secrets.standing || undefined,
  }
}

interface SiteKeys {
  from: Pick<SiteSecrets, 'sealed_service_key' | 'site_public'>
  service: KeyObject
  own: KeyObject
}

/** Of each site by its id; they go with the key of their workspace, once nobody holds that. */
const known = new WeakMap<WorkspaceKey, Map<string, SiteKeys>>()

/** As its row has them. To read both takes as long as to verify an answer, so they are read once. */
function keysOf(key: WorkspaceKey, id: string, { sealed_service_key, site_public }: SiteSecrets): SiteKeys {
  const all = known.get(key) ?? new Map<string, SiteKeys>()
  const last = all.get(id)
  if (last?.from.sealed_service_key === sealed_service_key && last.from.site_public === site_public) return last
  const seed = open(key, Buffer.from(sealed_service_key, 'base64'), sealContext(id)).toString('utf8')
  const read = { from: { sealed_service_key, site_public }, service: importSeed(seed), own: importPublicKey(site_public) }
  known.set(key, all.set(id, read))
  return read
}

/** For a stranger's requests to the site's addresses: what stands in front of it lets them through too. */
export const pagesOf = async (talker: Talker, site: Pick<Site, 'id' | 'url' | 'home'>): Promise<GuardedFetch> =>
  fetchWith(talker.wire.fetch, site, headersFor(await accessTo(talker, site.id)))

/** Asks a site once, remembers how it went and what `learn` makes of the answer, and turns what stands in the way into a Problem. */
export async function talk<Answer extends Heard>(
  talker: Talker,
  site: Pick<Site, 'id' | 'status'>,
  ask: (deps: Deps, connection: SiteConnection, options: AskOptions) => Promise<Answer>,
  learn: (answer: Answer) => SiteFacts = () => ({}),
): Promise<Answer> {
  const connection = await connectionOf(talker, site)
  try {
    const answer = await ask(talker.wire, connection, { probe: true })
    await updateSite(talker, site.id, { ...reached(talker.now(), site, answer), ...learn(answer) })
    talker.changed(talker.workspaceId, [site.id])
    return answer
  } catch (error) {
    throw await unreached(talker, site, error)
  }
}

export function reached(now: Date, site: Pick<Site, 'status'>, { door, mode, skewSeconds, latencyMs }: Heard): SiteFacts {
  const status = site.status === 'paused' ? site.status : 'connected'
  return { status, door, mode, skew_s: skewSeconds, latency_ms: Math.round(latencyMs), last_seen_at: now, last_error: null }
}

/** Records why a site could not be asked; returns the Problem to throw. Errors of our own pass; what a caller named wrongly is no trouble of the site. */
export async function unreached(talker: Talker, site: Pick<Site, 'id' | 'status'>, error: unknown): Promise<unknown> {
  if (!(error instanceof SiteError)) return error
  const { code, reason, message, retryable, siteSaid } = error
  if (reason === 'error:not_found') return new Problem('not_found', message, { siteSaid, cause: error })
  const said = siteSaid && { site_said: siteSaid }
  const facts: SiteFacts = { last_error: { code, reason, message, at: talker.now().toISOString(), ...said } }
  const status = statusAfter(error)
  if (status && site.status !== 'pending' && site.status !== 'paused') facts.status = status
  await updateSite(talker, site.id, facts)
  talker.changed(talker.workspaceId, [site.id])
  return new Problem(code, message, { retryable, siteSaid, cause: error })
}

/** A failed verb says nothing about the connection; a refused or lost one does. */
function statusAfter({ reason }: SiteError): Site['status'] | undefined {
  if (reason === 'clone') return 'clone_detected'
  return reason.startsWith('error:') ? undefined : 'unreachable'
}

/** What a job needs to know of its site. */
export type Target = Pick<Site, 'id' | 'url' | 'status' | 'name'>

/** The site a job works on; throws `not_found` when it was removed meanwhile. */
export async function targetOf({ db, workspaceId }: Db, id: string | null): Promise<Target> {
  const { rows } = await sql<Target>`SELECT id, url, status, name FROM sites WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  if (!rows[0]) throw new Problem('not_found', 'The site was removed.')
  return rows[0]
}
