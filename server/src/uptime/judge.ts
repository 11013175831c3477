// What a batch of checks comes to: samples, states, incidents, moves. Everything is written in one transaction.
import { newId } from '../kernel/ids.ts'
import type { World } from '../world.ts'
import type { Outcome } from './check.ts'
import { advance, type Standing, type Turn } from './episode.ts'
import { tellUnproven } from './excuse-store.ts'
import { endIncident, insertMove, openIncident } from './incident-store.ts'
import { believedMs } from './network.ts'
import { packSample } from './samples.ts'
import { type Changed, type Checked, type Due, saveChecks, saveStates } from './sweep-store.ts'

const dayMs = 86_400_000
/** An address that DNS has not given for so long is a new one when it comes back. */
const rememberedMs = 7 * dayMs
/** For so long a site is told to be as it was, though checks tell nothing because the trouble is ours: until the turn after failing sites may be believed. */
const ourTroubleMs = believedMs + 2 * 60_000

/** Why a check says nothing about its site: it was meant to fail, or nobody minds; or the trouble is ours. */
export type Excuse = 'meant' | 'ours'

/** Answers the sites of which something else is told than before. */
export async function record(
  world: World,
  outcomes: readonly Outcome[],
  excuseOf: (outcome: Outcome) => Excuse | null,
): Promise<Pick<Changed, 'workspace_id' | 'site_id'>[]> {
  const { db, now, log } = world
  const checks: Checked[] = []
  const states: Changed[] = []
  const inDoubt: Due[] = []
  const writes: (() => Promise<void>)[] = []
  for (const each of outcomes) {
    const excuse = excuseOf(each)
    const excluded = excuse !== null
    const outcome = excluded ? withoutAddresses(each) : each
    const { due, at, probed, app } = outcome
    const before = standingOf(outcome)
    const found = {
      ...{ at, failedAt: outcome.failedAt, up: probed.error === null, excluded },
      ...{ appAsked: app !== null, appUp: app?.appUp ?? null, connector: app?.connector ?? null },
    }
    const { after, turns } = advance(before, found, due.recovery_s * 1000)
    const neverUp = before.up === null && !found.up
    const unprovenSince = unproven(outcome, excuse)
    const unprovenTold = unprovenSince !== null && at.getTime() - unprovenSince.getTime() >= ourTroubleMs ? unprovenSince : null
    checks.push({
      ...{ due, at, probed, appAsked: app !== null, sample: sampleOf(outcome, excluded || neverUp) },
      ...{ goodSince: after.goodSince, appMisses: after.appMisses, connectorMisses: after.connectorMisses },
      ...{ addresses: remembered(outcome), unprovenSince },
    })
    const isAnew = due.interrupted && (found.up || !excluded)
    const isTold = unprovenTold?.getTime() === due.unproven_told?.getTime()
    if (due.since === null || isAnew || (!isTold && due.up === true) || differs(before, after))
      states.push({ ...stateOf(outcome, before, after), unproven_since: unprovenTold })
    if (unprovenTold !== null && due.unproven_told === null) inDoubt.push(due)
    for (const turn of turns) writes.push(() => writeTurn(world, outcome, turn))
    const move = moveOf(outcome)
    if (move) writes.push(() => insertMove(db, due, { id: newId('move', at), at, ...move }))
  }
  await saveChecks(db, checks)
  await saveStates(db, states)
  for (const write of writes) await write()
  const workspaces = await tellUnproven(db, inDoubt, () => newId('trouble', now()))
  if (workspaces.length > 0)
    log.warn(
      { workspaces },
      'for seven minutes checks have told nothing of sites that were up, because the trouble may be of our own network: whether they are up is not known',
    )
  return states
}

/** Since when it is not known whether a site is up that was, because the trouble is ours. What is meant to fail puts off when that is told. */
function unproven({ due, at, failedAt, probed }: Outcome, excuse: Excuse | null): Date | null {
  if (due.up !== true || probed.error === null || excuse === null) return null
  return excuse === 'meant' ? due.unproven_told : (due.unproven_since ?? failedAt ?? at)
}

/** Where our own network is in trouble, its DNS may say anything. */
const withoutAddresses = (outcome: Outcome): Outcome =>
  outcome.probed.error === null ? outcome : { ...outcome, probed: { ...outcome.probed, addresses: [] } }

const standingOf = ({ due }: Outcome): Standing => ({
  up: due.up ?? (due.interrupted ? true : null),
  appUp: due.app_up,
  appKnown: due.app_known,
  connectorSilent: due.connector_silent,
  goodSince: due.good_since,
  appMisses: due.app_misses,
  connectorMisses: due.connector_misses,
})

const differs = (a: Standing, b: Standing) =>
  a.up !== b.up || a.appUp !== b.appUp || a.appKnown !== b.appKnown || a.connectorSilent !== b.connectorSilent

const stateOf = (
  { due, at, failedAt }: Outcome,
  before: Standing,
  { up, appUp, appKnown, connectorSilent }: Standing,
): Omit<Changed, 'unproven_since'> => ({
  ...{ workspace_id: due.workspace_id, site_id: due.site_id, up, app_up: appUp, app_known: appKnown, connector_silent: connectorSilent },
  since: due.up === up && due.since !== null ? due.since : up ? (before.goodSince ?? at) : (failedAt ?? at),
})

function sampleOf({ at, probed, app }: Outcome, excluded: boolean): Buffer {
  const { timings, error, status } = probed
  const parts = { dnsMs: timings?.dnsMs ?? null, connectMs: timings?.connectMs ?? null, tlsMs: timings?.tlsMs ?? null }
  const whole = { waitMs: timings?.waitMs ?? 0, totalMs: timings?.totalMs ?? 0 }
  return packSample({ at, up: error === null, appUp: app?.appUp ?? null, excluded, error: error?.kind ?? null, status, ...whole, ...parts })
}

async function writeTurn({ db }: World, { due, at, probed }: Outcome, turn: Turn): Promise<void> {
  if ('ends' in turn) return endIncident(db, due, turn.kind, turn.ends)
  const why = {
    down: { cause: probed.error?.kind ?? 'connect', message: probed.error?.message ?? '' },
    app_down: { cause: 'http' as const, message: 'Pages are answered, but WordPress itself answers with an error.' },
    connector_silent: { cause: 'connector' as const, message: 'The site answers, but its connector does not.' },
  }[turn.kind]
  await openIncident(db, due, {
    id: newId('incident', at),
    kind: turn.kind,
    ...why,
    httpStatus: probed.status || null,
    startedAt: turn.begins,
  })
}

/** Each address with the last day on which DNS gave it; null: nothing is new. Hosts that change theirs all the time are known by all of them. */
function remembered({ due, at, probed }: Outcome): Record<string, string> | null {
  if (probed.addresses.length === 0) return null
  const today = new Date(Math.floor(at.getTime() / dayMs) * dayMs).toISOString()
  const before = due.addresses ?? {}
  if (probed.addresses.every((address) => before[address] === today)) return null
  const kept = Object.entries(before).filter(([, day]) => at.getTime() - Date.parse(day) < rememberedMs)
  const now = probed.addresses.map((address) => [address, today])
  return Object.fromEntries([...now, ...kept.filter(([address]) => !probed.addresses.includes(address))].slice(0, 50))
}

/** The site is somewhere else when none of its addresses was ever seen before. */
function moveOf({ due, probed }: Outcome): { before: string[]; after: readonly string[] } | null {
  const before = Object.keys(due.addresses ?? {})
  const isNew = before.length > 0 && probed.addresses.length > 0 && probed.addresses.every((address) => !before.includes(address))
  return isNew ? { before, after: probed.addresses } : null
}
