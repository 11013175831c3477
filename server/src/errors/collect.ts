// Asks sites for the PHP errors they have met: each in its turn, or one when somebody wants to know.
import type { Params } from '../connector/commands.ts'
import { SiteError, type SiteReason } from '../connector/site-error.ts'
import { Problem } from '../kernel/problem.ts'
import { seedSiteTurns } from '../platform/clock-store.ts'
import { SiteClient } from '../sites/client.ts'
import type { Here, World } from '../world.ts'
import { claimDue, type Due, noteFailure, readPlace } from './collect-store.ts'
import { type Answer, record } from './record.ts'

export const everyMs = 15 * 60_000
const inFlight = 32
const budgetMs = 8_000
/** What a WordPress that does not start looks like from outside. */
const mayStand: ReadonlySet<SiteReason> = new Set(['http_status', 'html_instead_of_json', 'not_signed'])

/** Asks one site and writes down what it tells. Throws what stands in the way, which is written down as well. */
export async function collectErrors(here: Here, siteId: string, signal: AbortSignal): Promise<void> {
  const place = await readPlace(here, siteId)
  try {
    const client = await SiteClient.open(here, { id: siteId }, signal)
    const answer = await ask(client, { drop: place.to_drop, log: place.log_read, budget_ms: budgetMs })
    await here.db.transaction().execute((db) => record({ ...here, db }, siteId, place, answer))
  } catch (error) {
    const { message, siteSaid } = wordsOf(error)
    await noteFailure(here, siteId, { message, site_said: siteSaid, at: here.now().toISOString() })
    throw error
  }
}

/** Where WordPress does not start, what keeps it from starting is wanted most: then it is asked beside WordPress. */
async function ask(client: SiteClient, params: Params<'errors.collect'>): Promise<Answer> {
  try {
    return await client.once('errors.collect', params)
  } catch (error) {
    if (!client.connection.standing || !(error instanceof SiteError) || !mayStand.has(error.reason)) throw error
    return client.once('errors.collect', params, { door: 'standing' }).catch(() => {
      throw error
    })
  }
}

function wordsOf(error: unknown): Pick<Problem, 'message' | 'siteSaid'> {
  if (error instanceof SiteError && error.reason === 'error:unknown_verb')
    return { message: 'The connector of this site is older and tells no PHP errors; update it.', siteSaid: null }
  if (error instanceof SiteError || error instanceof Problem) return { message: error.message, siteSaid: error.siteSaid ?? null }
  return { message: 'The errors of this site could not be collected.', siteSaid: null }
}

/** Asks every site whose turn it is, some at a time; waits for none. */
export class Collecting {
  readonly #world: World
  readonly #busy = new Map<string, Promise<void>>()

  constructor(world: World) {
    this.#world = world
  }

  async pass(): Promise<void> {
    const { db, now } = this.#world
    await seedSiteTurns(db, 'errors', now(), everyMs)
    const room = inFlight - this.#busy.size
    if (room > 0) for (const due of await claimDue(db, now(), everyMs, room)) this.#begin(due)
  }

  /** Until all that was begun is written down. */
  async finish(): Promise<void> {
    await Promise.all(this.#busy.values())
  }

  #begin({ workspace_id: workspaceId, site_id }: Due): void {
    const key = `${workspaceId} ${site_id}`
    if (this.#busy.has(key)) return
    const { log, stopping } = this.#world
    const asking = collectErrors({ ...this.#world, workspaceId }, site_id, stopping)
      .catch((error: unknown) => {
        // What a site does not answer is written down with it.
        if (!(error instanceof SiteError || error instanceof Problem) && !stopping.aborted)
          log.warn({ err: error, site_id }, 'PHP errors could not be collected and are asked for again in the next turn')
      })
      .finally(() => this.#busy.delete(key))
    this.#busy.set(key, asking)
  }
}

const collecting = new WeakMap<World, Collecting>()

/** The duty: one pass of this process. */
export async function collectDue(world: World): Promise<void> {
  if (world.config.errorCollection === 'off') return
  const own = collecting.get(world) ?? new Collecting(world)
  collecting.set(world, own)
  await own.pass()
}
