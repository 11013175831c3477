import { sql } from 'kysely'
import { logEvent } from '../activity/service.ts'
import { importPublicKey } from '../connector/keys.ts'
import { NOTICE_TAG, REQUEST_CAP } from '../connector/shapes.ts'
import { parseCall, verifyRequest } from '../connector/verify.ts'
import { Problem } from '../kernel/problem.ts'
import { findSecrets, findWorkspaceOfSite, updateSite } from '../sites/store.ts'
import type { World } from '../world.ts'
import { firstContact } from './service.ts'

/** What a site tells on its own: that it is enrolled, or that it has disconnected. Saying it twice changes nothing, so no nonce is kept. */
export async function receiveNotice(world: World, headers: Record<string, string | undefined>, body: Buffer): Promise<void> {
  const siteId = headers['svc-site'] ?? ''
  const workspaceId = await findWorkspaceOfSite(world.db, siteId)
  const secrets = workspaceId === undefined ? undefined : await findSecrets({ ...world, workspaceId }, siteId)
  if (workspaceId === undefined || !secrets) throw refused()
  const keys = [{ keyid: 's1', key: importPublicKey(secrets.site_public) }]
  const now = Math.floor(world.now().getTime() / 1000) + secrets.skew_s
  const verified = verifyRequest({ headers, body, maxBytes: REQUEST_CAP, siteId, keys, tags: [NOTICE_TAG], now })
  if (!verified.ok) throw refused()
  const notice = parseCall(body, NOTICE_TAG)
  if (notice?.method === 'enrolled') return enrolled(world, workspaceId, siteId)
  if (notice?.method === 'disconnected') return disconnected(world, workspaceId, siteId)
  throw new Problem('invalid_payload', 'There is no such notice.')
}

const refused = () => new Problem('unauthenticated', 'This notice is not signed by a site of this service.')

/** A site whose clock is far off cannot say this; its first hello is queued by the enrolment itself. */
async function enrolled(world: World, workspaceId: string, siteId: string): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const { rows } = await sql`SELECT 1 FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId} AND status = 'connected'`.execute(
      db,
    )
    // The first hello may be over before this notice arrives.
    if (rows.length === 0) await firstContact({ ...world, db, workspaceId }, siteId)
  })
  world.queue.nudge()
}

async function disconnected(world: World, workspaceId: string, siteId: string): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const context = { ...world, db, workspaceId }
    const { rows } = await sql<{
      name: string
    }>`SELECT name FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId} AND status <> 'disconnected' FOR UPDATE`.execute(db)
    if (!rows[0]) return
    await updateSite(context, siteId, { status: 'disconnected' })
    const by = { type: 'system', id: siteId, name: rows[0].name } as const
    await logEvent(context, { siteId, category: 'other', summary: 'The site was disconnected in its WordPress admin', by, internal: true })
  })
  world.changed(workspaceId, [siteId])
}
