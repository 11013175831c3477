// Switching one tweak on or off, proven from outside. What does not work, or hurts the site, is taken back at once.
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../connector/call.ts'
import { siteSaid } from '../connector/clean.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Why } from '../kernel/site-said.ts'
import { visitPages, whatIsWrong } from '../sites/health.ts'
import type { PageSight } from '../sites/sight.ts'
import type { Visitor } from '../sites/visit.ts'
import { attacks, isListing } from './attacks.ts'
import type { TweakId, TweakResult } from './schema.ts'
import { elsewhere, refusal, type Sight, type Sights, see, sightOf } from './see.ts'
import { order, type TweakSite } from './site.ts'
import { known } from './table.ts'

type Outcome = Omit<TweakResult, 'tweak_id'>

function outcome(status: TweakResult['status'], why: string | Why | null = null, evidence: string[] = []): Outcome {
  const { message, siteSaid = null } = typeof why === 'object' ? (why ?? { message: null }) : { message: why }
  return { status, reason: message, site_said: siteSaid, evidence }
}
const proofs = 3

/** `mine`: an earlier attempt of this job has begun it, so that it is there already is its doing. */
export async function applyTweak(site: TweakSite, id: TweakId, { again, mine }: { again: boolean; mine: boolean }): Promise<Outcome> {
  const before = await see(site.here, site.site, { only: id })
  const sight = sightOf(before, id)
  const anyway = again && (id !== 'salts_rotated' || !mine)
  if (sight.state === 'applied' && !anyway)
    return mine && sight.on ? outcome('applied', null, sight.evidence) : outcome('already', alreadyWhy(sight), sight.evidence)
  const tried = await mayApply(site, id, before)
  if (tried.status !== 'applied') return tried
  const pages = await visitPages(site.client)
  const done = await order(site, 'tweaks.apply', { id })
  if (done.status === 'refused') return outcome('refused', refusal(done.reason))
  if (done.armed && !(await kept(site, id))) {
    const still = await whatIsWrong(site.client, { before: pages })
    const reason = 'The site could not be reached after the change, and has taken it back by itself'
    return outcome('failed', still === null ? `${reason}.` : { ...still, message: `${reason}, as far as it can be seen: ${still.message}` })
  }
  const proof = await prove(site, id, pages)
  if (proof.wrong === null)
    return outcome('applied', null, [...sight.evidence.map((line) => `Before: ${line}`), ...proof.evidence.map((line) => `After: ${line}`)])
  const { message, siteSaid: said = null } = proof.wrong
  if (!known(id).reversible) return outcome('failed', { message: `${message} It cannot be taken back.`, siteSaid: said }, proof.evidence)
  await order(site, 'tweaks.revert', { id })
  const still = await whatIsWrong(site.client, { before: pages })
  return outcome(
    'failed',
    {
      message: `${message} It was taken back${still === null ? ', and the site is as before.' : `; ${still.message}`}`,
      siteSaid: said ?? still?.siteSaid ?? null,
    },
    proof.evidence,
  )
}

export async function revertTweak(site: TweakSite, id: TweakId, { mine }: { mine: boolean }): Promise<Outcome> {
  if (!known(id).reversible) return outcome('refused', 'This cannot be taken back.')
  const before = await see(site.here, site.site, { only: id })
  const sight = sightOf(before, id)
  if (!sight.on) {
    if (mine) return outcome('reverted', null, sight.evidence)
    return outcome(
      'already',
      sight.already_by === null
        ? 'It is not switched on.'
        : { message: 'Not ours to take back: something else on this site sees to it.', siteSaid: siteSaid(sight.already_by) },
    )
  }
  const pages = await visitPages(site.client)
  const done = await order(site, 'tweaks.revert', { id })
  if (done.status === 'refused') return outcome('refused', refusal(done.reason))
  const worse = await whatIsWrong(site.client, { before: pages })
  const after = sightOf(await see(site.here, site.site, { only: id }), id)
  if (after.on) return outcome('failed', 'The site still has it switched on.', after.evidence)
  if (worse !== null) return outcome('failed', worse, after.evidence)
  const still = { message: 'It still holds: something else on this site sees to it.', siteSaid: siteSaid(after.already_by ?? '') }
  return outcome('reverted', after.already_by === null ? null : still, after.evidence)
}

const alreadyWhy = ({ on, already_by }: Sight): Why =>
  on || already_by === null ? { message: 'It is switched on already.' } : { message: elsewhere, siteSaid: siteSaid(already_by) }

/** Looks for what stands in the way, by trying where that can be tried without touching the live site. */
async function mayApply(site: TweakSite, id: TweakId, before: Sights): Promise<Outcome> {
  const { obstacle } = sightOf(before, id)
  const { nginx, by } = known(id)
  if (by === 'rules' && before.listed.server !== 'other') {
    const tried = await tryOut(site, id, before.attacker, obstacle === null)
    if (tried.status !== 'applied') return tried
  }
  if (obstacle !== null) {
    const snippet = nginx && !readsRules(before) ? ` For nginx: ${nginx.replace('{uploads}', before.attacker.uploads)}` : ''
    return outcome('refused', { ...obstacle, message: `${obstacle.message}${snippet}` })
  }
  if (id === 'ssl_admin_forced') return httpsWorks(site)
  return outcome('applied')
}

const readsRules = ({ listed }: Pick<Sights, 'listed'>) => listed.server === 'apache' || listed.server === 'litespeed'

/** Two folders of their own: one shows what the server does by itself, the other what it makes of our rules. */
async function tryOut(site: TweakSite, id: TweakId, { fetch }: Visitor, rules: boolean): Promise<Outcome> {
  const trial = await order(site, 'tweaks.try', { id, end: false })
  try {
    const bare = await attack(fetch, `${trial.url}bare/`, id)
    if (bare.works === false) return outcome('already', 'Already so by the configuration of the server.', bare.evidence)
    if (!rules) return outcome('applied')
    const own = await attack(fetch, `${trial.url}with/`, id)
    if (own.status >= 500)
      return outcome(
        'refused',
        'The server does not allow this rule in .htaccess; a trial folder with it answered with an error. The live site was not touched.',
        own.evidence,
      )
    if (own.works !== false)
      return outcome(
        'refused',
        'The server does not follow .htaccess files; a trial folder with the rule was not protected. The live site was not touched.',
        own.evidence,
      )
    return outcome('applied')
  } finally {
    await order(site, 'tweaks.try', { id, end: true })
  }
}

async function attack(
  fetch: Visitor['fetch'],
  folder: string,
  id: TweakId,
): Promise<{ works: boolean | null; status: number; evidence: string[] }> {
  const plain = await fetch(`${folder}plain.txt`)
  if (plain.status !== 200 || !plain.text.startsWith('svc-plain'))
    return { works: null, status: plain.status, evidence: [`A plain file in the trial folder answered ${plain.status || 'nothing'}.`] }
  const seen = await fetch(id === 'directory_listing_off' ? folder : `${folder}${id === 'uploads_php_off' ? 'run.php' : 'readme.html'}`)
  const shown = {
    directory_listing_off: isListing(seen),
    uploads_php_off: seen.text.includes('svc-ran'),
    readme_blocked: seen.text.includes('svc-readme'),
  }
  const works = shown[id as keyof typeof shown]
  return {
    works: seen.status === 0 ? null : works,
    status: seen.status,
    evidence: [`In the trial folder the attack answered ${seen.status || 'nothing'}${works ? ' and worked' : ''}.`],
  }
}

/** A signed hello over https: the certificate holds, and WordPress knows that it is spoken to over https. */
async function httpsWorks({ client: { wire, connection } }: TweakSite): Promise<Outcome> {
  const safe = (address: string) => address.replace(/^http:/, 'https:')
  try {
    const over = { ...connection, url: safe(connection.url), home: safe(connection.home) }
    const { result } = await call(wire, over, { verb: 'hello', params: {} }, { timeoutMs: 15_000 })
    if (result.is_ssl) return outcome('applied')
    return outcome(
      'refused',
      'The site answers over https, but WordPress does not notice it, so logging in would go round in circles. The proxy in front must tell it.',
    )
  } catch (error) {
    if (error instanceof SiteError)
      return outcome('refused', { message: `https does not work on this site: ${error.message}`, siteSaid: error.siteSaid })
    throw error
  }
}

/** Says at once that the site is still there. Whoever made the change takes it back where that is not heard, and can be asked again then. */
async function kept(site: TweakSite, id: TweakId): Promise<boolean> {
  try {
    return (await order(site, 'tweaks.confirm', { id }, 30_000)).kept
  } catch (error) {
    if (error instanceof SiteError) return false
    throw error
  }
}

/** That the attack no longer works, and that nothing else stopped working. */
async function prove(site: TweakSite, id: TweakId, pages: PageSight[]): Promise<{ wrong: Why | null; evidence: string[] }> {
  const worse = await whatIsWrong(site.client, { before: pages })
  let sight = sightOf(await see(site.here, site.site, { prove: true, only: id }), id)
  // A cache in front may need a moment.
  for (let n = 1; n < proofs && !sight.verified; n++) {
    await sleep(1000, undefined, { signal: site.job.signal })
    sight = sightOf(await see(site.here, site.site, { prove: true, only: id }), id)
  }
  const evidence =
    sight.evidence.length > 0 ? sight.evidence : [`A signed request found it ${sight.verified ? 'at work' : 'without effect'}.`]
  if (worse !== null) return { wrong: worse, evidence }
  if (sight.verified) return { wrong: null, evidence }
  const tellable = attacks[id] !== undefined && sight.state === 'applied'
  return {
    wrong: { message: tellable ? 'It could not be seen from outside that it works.' : 'It was switched on, but the attack still works.' },
    evidence,
  }
}
