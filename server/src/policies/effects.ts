// The kinds of effects a policy decides over, what is usual for each, and what nobody can have done without asking.
import { type EffectKind, effectKinds, type Jump, jumps } from '../kernel/effects.ts'
import type { Decision } from './schema.ts'

interface Kind {
  title: string
  usual: Decision
  /** It is asked for at least, whatever anybody sets. */
  alwaysAsks?: true
}

const kinds: Record<EffectKind, Kind> = {
  backups: { title: 'Backups and their checks', usual: 'auto' },
  scans: { title: 'Scans and measurements', usual: 'auto' },
  updates: { title: 'Updates of plugins, themes and translations', usual: 'ask' },
  core_updates: { title: 'Updates of WordPress itself', usual: 'ask', alwaysAsks: true },
  tweaks: { title: 'Site Tweaks', usual: 'ask' },
  triage: { title: 'Ignoring, muting and closing what was found', usual: 'ask' },
  settings: { title: 'Schedules, monitoring and notifications', usual: 'ask' },
  cancellations: { title: 'Canceling what is under way', usual: 'ask' },
  restores: { title: 'Restores and their undoing', usual: 'ask', alwaysAsks: true },
  deletions: { title: 'Deletions', usual: 'ask', alwaysAsks: true },
  salts: { title: 'New salts, which end every session', usual: 'ask', alwaysAsks: true },
  // What it is about decides which policies hold.
  labels: { title: 'Tags and clients of sites', usual: 'ask', alwaysAsks: true },
  // Whoever is signed in to a site can do there whatever else is asked for.
  logins: { title: 'Login links', usual: 'ask', alwaysAsks: true },
  // What a client has read cannot be taken back.
  reports: { title: 'Reports published, linked and sent to clients', usual: 'ask', alwaysAsks: true },
}

const jumpWords: Record<Jump, string> = { patch: 'patch', minor: 'minor version', major: 'major version' }

/** What one decision is about. */
export interface Cell {
  effect: EffectKind
  jump: Jump | null
}

export const hasJumps = (effect: EffectKind) => effect === 'updates' || effect === 'core_updates'

export const cells: readonly Cell[] = effectKinds.flatMap((effect): Cell[] =>
  hasJumps(effect) ? jumps.map((jump) => ({ effect, jump })) : [{ effect, jump: null }],
)

export const usualOf = ({ effect }: Cell): Decision => kinds[effect].usual
export const alwaysAsks = ({ effect, jump }: Cell): boolean =>
  kinds[effect].alwaysAsks === true || (effect === 'updates' && jump === 'major')
export const titleOf = ({ effect, jump }: Cell): string =>
  jump === null ? kinds[effect].title : `${kinds[effect].title}: ${jumpWords[jump]}`
