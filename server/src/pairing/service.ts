import { call } from '../connector/call.ts'
import { clean } from '../connector/clean.ts'
import { answerProof, codeHint, codeKey, createCode, createEnrolNonce, enrolProofHolds } from '../connector/enrol.ts'
import { createKeyPair, importPublicKey } from '../connector/keys.ts'
import { startJob } from '../jobs/service.ts'
import type { Caller } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { open, seal } from '../platform/master-key.ts'
import { insertSite } from '../sites/store.ts'
import { sealContext, talk } from '../sites/talk.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Context, World } from '../world.ts'
import { connect } from './jobs.ts'
import type { EnrolRequest } from './schema.ts'
import {
  type Code,
  connectIsUnderWay,
  countTry,
  holdCode,
  holdSiteByUrl,
  insertCode,
  markUsed,
  type NewKeys,
  replaceKeys,
} from './store.ts'

const lifeMs = 15 * 60_000
const mostTries = 5

/** A code that lets one site join this workspace; only what proves it is stored. */
export async function makeCode(context: Context, host: string | undefined) {
  const code = createCode()
  const key = codeKey(code)
  const hint = codeHint(key)
  const expires_at = new Date(context.now().getTime() + lifeMs)
  const sealed = seal(await workspaceKey(context, context.workspaceId), key, `enrolment code ${hint}`).toString('base64')
  await insertCode(context, { hint, sealed_key: sealed, host: host?.toLowerCase() ?? null, expires_at })
  return { code, service_url: context.config.baseUrl, expires_at: expires_at.toISOString() }
}

const refused = () =>
  new Problem(
    'not_found',
    'This code is unknown, used, expired or for another site. Make a new one in the service and paste it within 15 minutes.',
  )

/** Lets a site join: its proof of the code for ours. Both keys are bound to the code, so nobody between can swap them. */
export async function enrol(world: World, request: EnrolRequest) {
  const answer = await world.db.transaction().execute(async (db) => {
    const code = await holdCode(db, request.hint)
    if (!code || !usable(code, request, world.now())) return undefined
    const sealer = await workspaceKey({ ...world, db }, code.workspace_id)
    const key = open(sealer, Buffer.from(code.sealed_key, 'base64'), `enrolment code ${code.hint}`)
    const { site_public: sitePublic, url, nonce } = request
    if (!enrolProofHolds(key, { sitePublic, url, nonce }, request.proof)) {
      await countTry(db, code)
      return undefined
    }
    await markUsed(db, code, world.now())
    const site = await admit({ ...world, db, workspaceId: code.workspace_id }, request)
    await firstContact({ ...world, db, workspaceId: code.workspace_id }, site.id)
    const answerNonce = createEnrolNonce()
    const bound = { siteId: site.id, servicePublic: site.servicePublic, sitePublic, requestNonce: nonce, answerNonce }
    const proof2 = answerProof(key, bound)
    return {
      workspaceId: code.workspace_id,
      body: { site_id: site.id, keyid: 'k1', service_public: site.servicePublic, nonce: answerNonce, proof2 },
    }
  })
  if (!answer) throw refused()
  world.changed(answer.workspaceId)
  return answer.body
}

function usable(code: Code, request: EnrolRequest, now: Date): boolean {
  const hosts = [new URL(request.url).host, new URL(request.url).hostname]
  return code.used_at === null && code.expires_at > now && code.tries < mostTries && (code.host === null || hosts.includes(code.host))
}

/** A new site, or the same one paired anew with its history; a site that still answers to its keys is not taken over. */
async function admit(context: World & { workspaceId: string }, request: EnrolRequest) {
  const known = await holdSiteByUrl(context, request.url)
  if (known?.status === 'connected' && (await stillAnswers(context, known)))
    throw new Problem('conflict', 'This site is connected already. Disconnect it in its WordPress admin first.', { retryable: false })
  const id = known?.id ?? newId('site', context.now())
  const pair = createKeyPair()
  const key = await workspaceKey(context, context.workspaceId)
  const keys: NewKeys = {
    home: request.home,
    keyid: 'k1',
    service_public: pair.public,
    sealed_service_key: seal(key, Buffer.from(pair.seed), sealContext(id)).toString('base64'),
    site_public: checkedKey(request.site_public),
  }
  if (known) await replaceKeys(context, id, keys)
  else await insertSite(context, { id, url: request.url, name: nameOf(request), ...keys })
  return { id, servicePublic: pair.public }
}

function checkedKey(key: string): string {
  try {
    importPublicKey(key)
    return key
  } catch (cause) {
    throw new Problem('invalid_payload', 'site_public is not an Ed25519 key.', { cause })
  }
}

const nameOf = ({ name, url }: EnrolRequest) => clean(name, 200).trim() || new URL(url).host

async function stillAnswers(
  context: World & { workspaceId: string },
  site: { id: string; url: string; status: 'connected' },
): Promise<boolean> {
  return talk(context, site, (deps, connection) => call(deps, connection, 'ping', {}, { timeoutMs: 5000, retries: 0 })).then(
    // A site that was moved answers as a clone of itself, and must be able to join again.
    ({ result }) => !result.clone,
    () => false,
  )
}

/** Queues the first hello, unless one is on its way. */
export async function firstContact(context: World & { workspaceId: string }, siteId: string): Promise<void> {
  const { db, workspaceId } = context
  if (await connectIsUnderWay(context, siteId)) return
  const caller: Caller = { type: 'system', id: 'pairing', name: 'Pairing', workspaceId, scopes: new Set(), approvalOnly: false }
  await startJob({ ...context, db, caller, face: 'system', requestId: 'pairing', touched: new Set() }, connect, siteId, {})
}
