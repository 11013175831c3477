import { setTimeout as sleep } from 'node:timers/promises'
import { logEvent } from '../activity/service.ts'
import { call } from '../connector/call.ts'
import { SiteError, type SiteReason } from '../connector/site-error.ts'
import type { Ended, JobKind, Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { endPairing } from '../sites/keys-store.ts'
import { findSecrets, updateSite } from '../sites/store.ts'
import { connectionOf, reached, type Target, targetOf, unreached } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import { saidGoodbyeInVain } from './store.ts'

/**
 * A site has signed that it was disconnected. Whoever holds a copy of it holds its key, so that is believed only when the site itself
 * is deaf to us. `retries`: about an hour for a site that nobody can see.
 */
export const disconnect: JobKind<World, { pairing: string }, { answers: boolean | null; looks: number }> = {
  type: 'disconnect',
  retries: 11,
  apart: true,
  changesSite: false,
  work: seeWhetherGone,
  summarize: ({ answers: still }) => ({
    outcome: 'done',
    summary:
      still === null
        ? 'The pairing that said goodbye had ended already.'
        : still
          ? 'The site still answers, so nothing was ended.'
          : 'The site is disconnected.',
  }),
  ended: notSeen,
}

/** Before each look: the request of the site that said it may still be at work. */
const pausesMs = [250, 3_000]

async function seeWhetherGone(world: World, job: Running, { pairing }: { pairing: string }) {
  const here = { ...world, workspaceId: job.workspaceId }
  const site = await targetOf(here, job.siteId)
  for (const [before, pause] of pausesMs.entries()) {
    await sleep(pause, undefined, { signal: job.signal })
    const secrets = await findSecrets(here, site.id)
    if (secrets?.site_public !== pairing || secrets.status === 'disconnected') return { answers: null, looks: before }
    if (await answers(here, site)) continue
    await endAndLog(here, site.id, job, pairing)
    return { answers: false, looks: before + 1 }
  }
  if (!(await saidGoodbyeInVain(here, site.id, { type: disconnect.type, now: here.now() })))
    await event(here, site.id, job, 'The site said goodbye, but still answers: nothing was ended')
  return { answers: true, looks: pausesMs.length }
}

async function endAndLog(here: Here, siteId: string, job: Running, pairing: string): Promise<void> {
  await here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    if (await endPairing(within, siteId, pairing)) await event(within, siteId, job, 'The site was disconnected in its WordPress admin')
  })
  here.changed(here.workspaceId, [siteId])
}

async function notSeen(world: World, { id, siteId, workspaceId, status }: Ended): Promise<void> {
  if (siteId === null || status !== 'failed') return
  const by = { type: 'system', id: 'pairing', name: 'Pairing' } as const
  const summary = 'The site said goodbye, and could not be reached to see whether that is so'
  await logEvent({ ...world, workspaceId }, { siteId, category: 'other', summary, jobId: id, by, internal: true })
}

const event = (here: Here, siteId: string, { id, requestedBy }: Running, summary: string) =>
  logEvent(here, { siteId, category: 'other', summary, jobId: id, by: requestedBy, internal: true })

/** Whether it is there as itself, at any of its doors. Throws what leaves that open. */
async function answers(here: Here, site: Target): Promise<boolean> {
  const usual = await isThere(here, site, false)
  return usual || isThere(here, site, true)
}

/** A deaf site leaves no word in its record: before it is called disconnected it must not look unreachable. */
async function isThere(here: Here, site: Target, probe: boolean): Promise<boolean> {
  try {
    const options = { timeoutMs: 5_000, retries: 0, probe } as const
    const answer = await call(here.wire, await connectionOf(here, site), { verb: 'ping', params: {} }, options)
    if (answer.result.clone) return false
    await updateSite(here, site.id, reached(here.now(), site, answer))
    here.changed(here.workspaceId, [site.id])
    return true
  } catch (error) {
    if (error instanceof SiteError && (probe ? error.code !== 'site_unreachable' : isDeaf(error))) return false
    const problem = await unreached(here, site, error)
    throw problem instanceof Problem ? new Problem(problem.code, problem.message, { retryable: true, cause: error }) : problem
  }
}

// At the door that worked, the web server answered, and not for a connector that is paired with us.
const DEAF: ReadonlySet<SiteReason> = new Set([
  'html_instead_of_json',
  'not_signed',
  'login_wall',
  'redirect',
  'http_status',
  'clone',
  'refused:key',
  'refused:signature',
  'refused:audience',
])
const isDeaf = ({ reason, retryable }: SiteError) => DEAF.has(reason) && !retryable
