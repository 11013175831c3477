import { logEvent } from '../activity/service.ts'
import { clean } from '../connector/clean.ts'
import { answerProof, codeHint, codeKey, createCode, createEnrolNonce, enrolProofHolds } from '../connector/enrol.ts'
import { createKeyPair, importPublicKey } from '../connector/keys.ts'
import { startJob } from '../jobs/service.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { systemCall } from '../kernel/system-call.ts'
import { neverAsked } from '../platform/guarded-connect.ts'
import { open, seal } from '../platform/master-key.ts'
import { keepAccess } from '../sites/access.ts'
import { bareDomain, domainOf, plainUrl } from '../sites/address.ts'
import { replaceKeys } from '../sites/keys-store.ts'
import type { Access, Site } from '../sites/schema.ts'
import { deleteSite, insertSite, type NewKeys } from '../sites/store.ts'
import { sealContext } from '../sites/talk.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Context, Here, World } from '../world.ts'
import { connect } from './jobs.ts'
import { reachOf } from './reach.ts'
import { addressTaken, forbidden, knownSite, otherAddress, Refused, similarSite, tellMaker, uselessBecause } from './refused.ts'
import type { CodeState, EnrolRequest } from './schema.ts'
import { type Code, countTry, findCode, holdCode, holdSites, insertCode, type Known, markUsed, peekCode } from './store.ts'

const lifeMs = 15 * 60_000
const mostTries = 5

export interface CodeFor {
  /** The site that is paired anew. */
  site?: Site | undefined
  host?: string | undefined
}

/** A code that lets one site join this workspace, or one of its sites be paired anew; only what proves it is stored. */
export async function makeCode(context: Context, { site, host }: CodeFor) {
  const never = host === undefined ? null : neverAsked(`https://${host}`, context.config.allowPrivateSites)
  if (never !== null)
    throw new Problem('invalid_payload', 'Some fields are not valid.', {
      errors: [{ path: 'host', message: `The service would never reach a site there. ${never} Name a host that it can reach.` }],
    })
  const code = createCode()
  const key = codeKey(code)
  const hint = codeHint(key)
  const expires_at = new Date(context.now().getTime() + lifeMs)
  const sealed = seal(await workspaceKey(context, context.workspaceId), key, `enrolment code ${hint}`).toString('base64')
  await insertCode(context, { hint, sealed_key: sealed, host: host?.toLowerCase() ?? null, site_id: site?.id ?? null, expires_at })
  const { baseUrl } = context.config
  const [site_id, found_from] = [site?.id ?? null, reachOf(baseUrl)]
  return { id: hint, code, service_url: baseUrl, found_from, site_id, expires_at: expires_at.toISOString() }
}

/** What has come of a code: the site that was paired with it, or why one was refused. */
export async function getCode(context: Context, id: string): Promise<CodeState> {
  const code = await findCode(context, id)
  if (!code) throw new Problem('not_found', 'There is no such code in this workspace, or it ended a month ago. Make a new one.')
  return code
}

/** Lets a site join: its proof of the code for ours. Both keys are bound to the code, so nobody between can swap them. */
export async function enrol(world: World, request: EnrolRequest) {
  const never = await neverReached(world, request)
  const answer = await world.db.transaction().execute(async (db) => {
    const code = await holdCode(db, request.hint)
    if (!code) return new Refused('used')
    const now = world.now()
    const useless = uselessBecause(code, request, { now, mostTries })
    if (useless) {
      await tellMaker(db, code, { refused: useless, url: request.url, now })
      return useless
    }
    const within = { ...world, db, workspaceId: code.workspace_id }
    const key = await openKey(within, code)
    const { site_public: sitePublic, url, nonce } = request
    const site = provesCode(key, request) ? await admit(within, code, request, never) : new Refused('wrong_proof')
    if (site instanceof Refused) {
      await countTry(db, code)
      await tellMaker(db, code, { refused: site, url, now })
      return site
    }
    await markUsed(db, code, { siteId: site.id, now })
    const answerNonce = createEnrolNonce()
    const bound = { siteId: site.id, servicePublic: site.servicePublic, sitePublic, requestNonce: nonce, answerNonce }
    const proof2 = answerProof(key, bound)
    return {
      workspaceId: code.workspace_id,
      body: { site_id: site.id, keyid: 'k1', service_public: site.servicePublic, nonce: answerNonce, proof2 },
    }
  })
  if (answer instanceof Problem) throw answer
  world.changed(answer.workspaceId)
  return answer.body
}

/** Why we would never reach the site. No row is held while its name is looked up, and nobody has a name looked up who does not prove a code. */
async function neverReached(world: World, request: EnrolRequest): Promise<string | null> {
  const code = await peekCode(world.db, request.hint)
  if (!code || uselessBecause(code, request, { now: world.now(), mostTries })) return null
  return provesCode(await openKey(world, code), request) ? world.neverReached(plainUrl(request.url)) : null
}

async function openKey(world: World, { workspace_id, sealed_key, hint }: Code): Promise<Buffer> {
  return open(await workspaceKey(world, workspace_id), Buffer.from(sealed_key, 'base64'), `enrolment code ${hint}`)
}

const provesCode = (key: Buffer, { site_public: sitePublic, url, nonce, proof }: EnrolRequest): boolean =>
  enrolProofHolds(key, { sitePublic, url, nonce }, proof)

/** A new site, or the same one paired anew with its history; or why not. */
async function admit(context: Here, code: Code, request: EnrolRequest, never: string | null) {
  const url = plainUrl(request.url)
  if (never !== null) return forbidden(url, never)
  const sites = await holdSites(context)
  const there = sites.find((site) => domainOf(site.url) === domainOf(url))
  const known = code.site_id === null ? there : sites.find(({ id }) => id === code.site_id)
  const obstacle = obstacleTo(code, url, { known, there, sites })
  if (obstacle) return obstacle
  if (there && there !== known) await deleteSite(context, there.id)
  const id = known?.id ?? newId('site', context.now())
  const pair = createKeyPair()
  const key = await workspaceKey(context, context.workspaceId)
  const keys: NewKeys = {
    ...{ url, home: url, keyid: 'k1', service_public: pair.public, site_public: checkedKey(request.site_public) },
    sealed_service_key: seal(key, Buffer.from(pair.seed), sealContext(id)).toString('base64'),
  }
  if (known) await replaceKeys(context, id, keys)
  else await insertSite(context, { id, name: nameOf(request), ...keys })
  await logPairing(context, code, { id, url, home: plainUrl(request.home), before: known?.url })
  await startForSite(context, id, connect, {})
  return { id, servicePublic: pair.public }
}

/** A site is paired anew only with a code made for it; a claim that nobody ever answered for is no site yet. */
function obstacleTo(
  code: Code,
  url: string,
  { known, there, sites }: { known: Known | undefined; there: Known | undefined; sites: Known[] },
): Refused | undefined {
  const near = known ? undefined : sites.find((site) => !site.unproven && bareDomain(domainOf(site.url)) === bareDomain(domainOf(url)))
  if (code.site_id === null) {
    if (known && !known.unproven) return knownSite(known.id)
    return near && code.host === null ? similarSite({ id: near.id, domain: domainOf(near.url), host: new URL(url).host }) : undefined
  }
  if (!known) return new Refused('site_gone')
  if (domainOf(known.url) !== domainOf(url) && code.host === null) return otherAddress(known.id)
  return there && there !== known && !there.unproven ? addressTaken(there.id) : undefined
}

interface Paired {
  id: string
  url: string
  home: string
  before: string | undefined
}

async function logPairing(context: Here, { site_id, created_by }: Code, { id, url, home, before }: Paired): Promise<void> {
  const moved = before !== undefined && before !== url ? ` Before: ${before}.` : ''
  await logEvent(context, {
    siteId: id,
    category: 'other',
    summary: site_id === null ? 'The site was paired with a code for new sites' : 'The site was paired anew with a code made for it',
    notes: `Address: ${url}, visitors: ${home}.${moved} The code was made by ${created_by ?? 'somebody'}.`,
    by: { type: 'system', id: 'pairing', name: 'Pairing' },
    internal: true,
  })
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

/** Queues a job that pairing itself asks for. */
export async function startForSite(context: Here, siteId: string, kind: { type: string }, input: Record<string, unknown>): Promise<void> {
  await startJob(systemCall(context, { type: 'system', id: 'pairing', name: 'Pairing' }), kind, siteId, input)
}

/** Keeps what stands in front of a site wants to see, sealed; the activity tells that it changed, and not what it is. */
export async function setAccess(context: Context, { id }: Site, access: Access): Promise<void> {
  await keepAccess(context, id, access)
  const kept = [...(access.basic ? ['user and password'] : []), ...(access.header ? [`the header ${access.header.name}`] : [])]
  await logEvent(context, {
    siteId: id,
    category: 'other',
    summary: 'What lets the service through to the site was changed',
    notes: kept.length > 0 ? `Kept now: ${kept.join(', ')}.` : 'Nothing is kept now.',
    by: asker(context),
    internal: true,
  })
}
