import { parseVersion } from './version.ts'

/** What an agent's call does, as people decide over it: each kind is done at once, asked for, or never done. */
export const effectKinds = [
  ...(['backups', 'scans', 'triage', 'settings', 'updates', 'core_updates', 'tweaks'] as const),
  ...(['cancellations', 'restores', 'deletions', 'salts', 'labels', 'logins', 'reports'] as const),
] as const
export type EffectKind = (typeof effectKinds)[number]

/** How far an update leads. */
export const jumps = ['patch', 'minor', 'major'] as const
export type Jump = (typeof jumps)[number]

/** One thing a call would do: on one site, or without an id on any of the workspace. */
export interface Effected {
  effect: EffectKind
  jump?: Jump
  site_id?: string
}

/** From 1.2.3 to 1.2.4 patch, to 1.3 minor, to 2.0 major; what cannot be told is major. Of WordPress a new second number is major, as it says itself. */
export function jumpOf({ type, from, to }: { type: string; from: string; to: string }): Jump {
  if (type === 'translations') return 'patch'
  const [before, after] = [numbersOf(from), numbersOf(to)]
  if (!before || !after || before[0] !== after[0]) return 'major'
  if (after[1] < before[1]) return 'major'
  if (before[1] !== after[1]) return type === 'core' ? 'major' : 'minor'
  return 'patch'
}

/** Its first two numbers; undefined where it does not begin with one. */
function numbersOf(version: string): [number, number] | undefined {
  const [first, second = 0] = parseVersion(version.replace(/^v(?=\d)/i, ''))
  if (typeof first !== 'number') return undefined
  return [first, typeof second === 'number' ? second : 0]
}
