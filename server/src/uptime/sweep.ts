// Looks at every site whose turn it is, and writes down what came of it, many at a time.
import { setImmediate as turn } from 'node:timers/promises'
import { changing } from '../kernel/job.ts'
import { seedSiteTurns } from '../platform/clock-store.ts'
import type { World } from '../world.ts'
import { Ailing } from './ailing.ts'
import { checkSite, type Outcome, serverOf, usualPausesMs, type Watching, wasUp } from './check.ts'
import { egressProbe, witnessCall } from './egress.ts'
import { atWork, endUnproven, letBe } from './excuse-store.ts'
import { type Excuse, record } from './judge.ts'
import { Network } from './network.ts'
import { claimDue, type Due, hasten } from './sweep-store.ts'

const inFlight = 1024
const batch = 250
/** Begun before anything else that waits in this process has its turn. */
const atOnce = 8
const seedEveryMs = 15_000
/** Over which the first looks at new sites are spread. */
const spreadMs = 60_000
/** Who was at work on a site until then may be why it does not answer. */
const afterWorkMs = 60_000

export class Sweep {
  readonly #world: World
  readonly #late: (ms: number) => void
  readonly #network = new Network()
  readonly #ailing = new Ailing()
  readonly #watching: Watching
  /** Being looked at, or waiting to be written down. */
  readonly #busy = new Map<string, Promise<void>>()
  #landed: Outcome[] = []
  #seeded = Number.NEGATIVE_INFINITY

  /** `late` hears by how many ms each check begins after its turn has come. */
  constructor(world: World, pausesMs: readonly number[] = usualPausesMs, late: (ms: number) => void = () => {}) {
    const [network, ailing] = [this.#network, this.#ailing]
    this.#world = world
    this.#late = late
    this.#watching = { world, network, ailing, pausesMs, probe: egressProbe(world), callWitnesses: witnessCall(world, network) }
  }

  /** Writes down what has come back, and begins what is due; it waits for no site. */
  async pass(): Promise<void> {
    const { db, now, stopping } = this.#world
    await this.#settle()
    if (now().getTime() - this.#seeded >= seedEveryMs) {
      await seedSiteTurns(db, 'uptime', now(), spreadMs)
      this.#seeded = now().getTime()
    }
    const hastened = this.#ailing.take(now())
    if (hastened.length > 0 && !this.#network.isTroubled(now())) await hasten(db, now(), hastened)
    for (let room = inFlight - this.#busy.size; room > 0 && !stopping.aborted; room = inFlight - this.#busy.size) {
      const most = Math.min(room, batch)
      const due = await claimDue(db, now(), most)
      for (const [n, each] of due.entries()) {
        this.#begin(each)
        if (n % atOnce === atOnce - 1) await turn()
      }
      if (due.length < most) return
    }
  }

  /** Until all that was begun is written down. */
  async finish(): Promise<void> {
    while (this.#busy.size > 0) {
      await Promise.all(this.#busy.values())
      await this.#settle()
    }
  }

  #begin(due: Due): void {
    const key = `${due.workspace_id} ${due.site_id}`
    // What is still being looked at from its turn before is let be; a site that nobody may ask is passed over.
    if (this.#busy.has(key) || !due.enabled || due.status === 'pending' || due.status === 'disconnected' || due.status === 'paused') return
    const { log, now, stopping } = this.#world
    this.#late(now().getTime() - due.due_at.getTime())
    const looking = checkSite(this.#watching, due)
      .then((outcome) => void this.#landed.push(outcome))
      .catch((error: unknown) => {
        this.#busy.delete(key)
        if (!stopping.aborted)
          log.warn({ err: error, site_id: due.site_id }, 'a site could not be looked at and is looked at again in its next turn')
      })
    this.#busy.set(key, looking)
  }

  async #settle(): Promise<void> {
    const outcomes = this.#landed
    this.#landed = []
    if (outcomes.length === 0) return
    try {
      const excuseOf = await this.#excuses(outcomes)
      const changed = await this.#world.db.transaction().execute((db) => record({ ...this.#world, db }, outcomes, excuseOf))
      for (const { workspace_id, site_id } of changed) this.#world.changed(workspace_id, [site_id])
      for (const each of outcomes)
        if (each.probed.error !== null && excuseOf(each) === null) this.#network.believe(serverOf(each.probed, each.due))
    } finally {
      for (const { due } of outcomes) this.#busy.delete(`${due.workspace_id} ${due.site_id}`)
    }
  }

  /** Why an outcome of this batch says nothing about its site. */
  async #excuses(outcomes: readonly Outcome[]): Promise<(outcome: Outcome) => Excuse | null> {
    const { db, now, jobKinds } = this.#world
    const failed = outcomes.filter(({ probed }) => probed.error !== null)
    const ill = outcomes.filter(({ probed, app }) => probed.error !== null || app?.appUp === false || app?.connector === false)
    if (ill.length === 0) return ({ due }) => (due.in_window ? 'meant' : null)
    const ours = this.#network.isOurs(
      now(),
      failed.map(({ due, failedAt, answers }) => ({ since: wasUp(due) ? failedAt : null, answers, everyMs: due.interval_s * 1000 })),
    )
    const sites = ill.map(({ due }) => due)
    const since = new Date(now().getTime() - afterWorkMs)
    const [busy, alone] = await Promise.all([atWork(db, sites, changing(jobKinds), since), letBe(db, sites, now())])
    return ({ due, probed }) => {
      if (due.in_window || alone.has(due.site_id) || busy.has(due.site_id)) return 'meant'
      return probed.error !== null && (ours || probed.unsent) ? 'ours' : null
    }
  }
}

const sweeps = new WeakMap<World, Sweep>()
/** Where nobody looks, and nothing is left to be told of when somebody did. */
const ended = new WeakSet<World>()

/** The duty: one pass of this process's sweep. */
export async function watchSites(world: World): Promise<void> {
  if (world.config.uptimeChecks === 'off') {
    if (!ended.has(world)) await endUnproven(world.db, world.now())
    ended.add(world)
    return
  }
  const sweep = sweeps.get(world) ?? new Sweep(world)
  sweeps.set(world, sweep)
  await sweep.pass()
}
