import { importPublicKey } from '../connector/keys.ts'
import { NOTICE_TAG, REQUEST_CAP } from '../connector/shapes.ts'
import { parseCall, verifyRequest } from '../connector/verify.ts'
import { isUnderWay } from '../jobs/store.ts'
import { Problem } from '../kernel/problem.ts'
import { endPairing } from '../sites/keys-store.ts'
import { findSecrets, findWorkspaceOfSite } from '../sites/store.ts'
import type { World } from '../world.ts'
import { disconnect } from './goodbye-jobs.ts'
import { connect } from './jobs.ts'
import { startForSite } from './service.ts'

/** What a site tells on its own: that it is enrolled, or that it has disconnected. Saying it twice changes nothing, so no nonce is kept. */
export async function receiveNotice(world: World, headers: Record<string, string | undefined>, body: Buffer): Promise<void> {
  const siteId = headers['svc-site'] ?? ''
  const workspaceId = await findWorkspaceOfSite(world.db, siteId)
  const secrets = workspaceId === undefined ? undefined : await findSecrets({ ...world, workspaceId }, siteId)
  if (workspaceId === undefined || !secrets?.site_public) throw refused()
  const keys = [{ keyid: 's1', key: importPublicKey(secrets.site_public) }]
  const now = Math.floor(world.now().getTime() / 1000) + secrets.skew_s
  const verified = verifyRequest({ headers, body, maxBytes: REQUEST_CAP, siteId, keys, tags: [NOTICE_TAG], now })
  if (!verified.ok) throw refused()
  const notice = parseCall(body, NOTICE_TAG)
  if (notice?.method === 'enrolled') await enrolled(world, workspaceId, siteId)
  else if (notice?.method === 'disconnected') await disconnected(world, workspaceId, siteId, secrets.site_public)
  else throw new Problem('invalid_payload', 'There is no such notice.')
}

const refused = () => new Problem('unauthenticated', 'This notice is not signed by a site of this service.')

/** A site whose clock is far off cannot say this; its first hello is queued by the enrolment itself. */
async function enrolled(world: World, workspaceId: string, siteId: string): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const within = { ...world, db, workspaceId }
    // The first hello may be over before this notice arrives.
    if ((await findSecrets(within, siteId))?.status === 'connected') return
    if (!(await isUnderWay(within, siteId, connect))) await startForSite(within, siteId, connect, {})
  })
}

/** A pairing that was never proven simply ends; otherwise a job looks whether the site is really gone. */
async function disconnected(world: World, workspaceId: string, siteId: string, pairing: string): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const within = { ...world, db, workspaceId }
    const status = (await findSecrets(within, siteId))?.status
    if (status === 'pending') await endPairing(within, siteId, pairing)
    else if (status !== 'disconnected' && !(await isUnderWay(within, siteId, disconnect)))
      await startForSite(within, siteId, disconnect, { pairing })
  })
  world.changed(workspaceId, [siteId])
}
