// What a check makes of what was known: nothing, the beginning of an incident, or its end. Arithmetic alone.
import type { IncidentKind } from './schema.ts'

/** What is known of a site between two checks. */
export interface Standing {
  /** null: it was never seen up. */
  up: boolean | null
  /** As it was last known; its incident goes by it. */
  appUp: boolean | null
  /** The last look told `appUp`; false: it could not, or the site is down. */
  appKnown: boolean
  connectorSilent: boolean | null
  /** Answering again since then, but not yet long enough. */
  goodSince: Date | null
  appMisses: number
  connectorMisses: number
}

/** What a check found. */
export interface Observation {
  at: Date
  /** When the first of the tries failed. */
  failedAt: Date | null
  up: boolean
  /** It says nothing about the site. */
  excluded: boolean
  /** WordPress itself was looked at; `appUp` null: that could not be told. */
  appAsked: boolean
  appUp: boolean | null
  connector: boolean | null
}

export type Turn = { kind: IncidentKind; begins: Date } | { kind: IncidentKind; ends: Date }

/** So often in a row WordPress or its connector must not have answered: they are asked every five minutes. */
const missesAllowed = 1
/** Checks come a little early or late. */
const slackMs = 5_000

/** The new standing, and which incidents begin and end. */
export function advance(before: Standing, found: Observation, recoveryMs: number): { after: Standing; turns: Turn[] } {
  const after = { ...before }
  const turns: Turn[] = []
  if (!found.up) fail(after, found, turns)
  else answer(after, found, { recoveryMs, turns })
  if (found.up && !found.excluded) lookInside(after, found, turns)
  return { after, turns }
}

function fail(after: Standing, { excluded, failedAt, at }: Observation, turns: Turn[]): void {
  // One failure starts the recovery again, whatever it was due to.
  after.goodSince = null
  if (excluded) return
  after.appKnown = false
  if (after.up !== true) return
  after.up = false
  turns.push({ kind: 'down', begins: failedAt ?? at })
}

function answer(after: Standing, { at }: Observation, { recoveryMs, turns }: { recoveryMs: number; turns: Turn[] }): void {
  if (after.up === true) return
  if (after.up === null) {
    after.up = true
    return
  }
  after.goodSince ??= at
  if (at.getTime() - after.goodSince.getTime() < recoveryMs - slackMs) return
  turns.push({ kind: 'down', ends: after.goodSince })
  after.up = true
  after.goodSince = null
}

function lookInside(after: Standing, { at, appAsked, appUp, connector }: Observation, turns: Turn[]): void {
  if (appAsked) after.appKnown = appUp !== null
  if (appUp !== null) {
    after.appMisses = appUp ? 0 : after.appMisses + 1
    if (appUp && after.appUp === false) turns.push({ kind: 'app_down', ends: at })
    if (appUp) after.appUp = true
    else if (after.appMisses > missesAllowed && after.appUp === true) {
      after.appUp = false
      turns.push({ kind: 'app_down', begins: at })
    }
  }
  if (connector === null) return
  after.connectorMisses = connector ? 0 : after.connectorMisses + 1
  if (connector && after.connectorSilent === true) turns.push({ kind: 'connector_silent', ends: at })
  if (connector) after.connectorSilent = false
  else if (after.connectorMisses > missesAllowed && after.connectorSilent === false) {
    after.connectorSilent = true
    turns.push({ kind: 'connector_silent', begins: at })
  }
}
