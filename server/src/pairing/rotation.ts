import { sql } from 'kysely'
import type { SiteConnection } from '../connector/ask.ts'
import { call } from '../connector/call.ts'
import { createKeyPair, importSeed } from '../connector/keys.ts'
import { SiteError } from '../connector/site-error.ts'
import { open, seal } from '../platform/master-key.ts'
import type { Site } from '../sites/schema.ts'
import { connectionOf, sealContext, unreached } from '../sites/talk.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Context } from '../world.ts'

interface NextKey {
  keyid: string
  public: string
  sealed: string
}

/**
 * Gives the service a new key for one site, in phases that an interruption at any point leaves working: the next key is stored,
 * told to the site under the old one, used once, and only then the current one. Called again it goes on where it stopped.
 */
export async function rotateKeys(context: Context, site: Site) {
  const current = await connectionOf(context, site)
  const next = (await storedNext(context, site.id)) ?? (await storeNext(context, site.id, nextKeyid(current.keyid)))
  const key = await workspaceKey(context, context.workspaceId)
  const seed = open(key, Buffer.from(next.sealed, 'base64'), sealContext(site.id)).toString('utf8')
  const renewed: SiteConnection = { ...current, keyid: next.keyid, servicePrivateKey: importSeed(seed) }
  try {
    if (!(await isUsable(context, renewed))) {
      await call(context.wire, current, { verb: 'keys.rotate', params: { keyid: next.keyid, public: next.public } }, { probe: true })
      await call(context.wire, renewed, { verb: 'ping', params: {} })
    }
  } catch (error) {
    throw await unreached(context, site, error)
  }
  await promote(context, site.id, next)
  return { id: site.id, keyid: next.keyid }
}

const nextKeyid = (keyid: string) => `k${Number(keyid.slice(1)) + 1}`

/** True when an interrupted rotation had got so far that the site takes the next key. */
async function isUsable(context: Context, renewed: SiteConnection): Promise<boolean> {
  return call(context.wire, renewed, { verb: 'ping', params: {} }, { retries: 0 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof SiteError && error.reason === 'refused:key') return false
      throw error
    },
  )
}

async function storedNext({ db, workspaceId }: Context, id: string): Promise<NextKey | undefined> {
  const { rows } = await sql<{
    next_key: NextKey | null
  }>`SELECT next_key FROM sites WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return rows[0]?.next_key ?? undefined
}

async function storeNext(context: Context, id: string, keyid: string): Promise<NextKey> {
  const pair = createKeyPair()
  const key = await workspaceKey(context, context.workspaceId)
  const next = { keyid, public: pair.public, sealed: seal(key, Buffer.from(pair.seed), sealContext(id)).toString('base64') }
  const { rows } = await sql<{ next_key: NextKey }>`UPDATE sites SET next_key = coalesce(next_key, ${JSON.stringify(next)}::jsonb)
    WHERE workspace_id = ${context.workspaceId} AND id = ${id} RETURNING next_key`.execute(context.db)
  return rows[0]?.next_key ?? next
}

async function promote({ db, workspaceId }: Context, id: string, next: NextKey): Promise<void> {
  await sql`UPDATE sites SET keyid = ${next.keyid}, service_public = ${next.public}, sealed_service_key = ${next.sealed}, next_key = NULL
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND next_key ->> 'keyid' = ${next.keyid}`.execute(db)
}
