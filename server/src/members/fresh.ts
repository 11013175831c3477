// How long ago somebody proved who they are: what is dangerous asks for it again.
import { Problem } from '../kernel/problem.ts'
import type { Session } from './session-store.ts'

/** What was shown counts as fresh so long. */
export const freshMinutes = 10

const isFresh = (at: Date | null | undefined, now: Date) => at != null && now.getTime() - at.getTime() <= freshMinutes * 60_000

/** When a second factor was last shown in the session; undefined: it was begun with a password alone. */
export const secondFactorAt = ({ shown, shown_at }: Pick<Session, 'shown' | 'shown_at'>): Date | undefined =>
  shown === 'password' ? undefined : (shown_at ?? undefined)

/** Whether whoever asks showed a second factor just now: a caller of an operation, or a session's `secondFactorAt`. */
export const freshFactor = ({ factorAt }: { factorAt?: Date | undefined }, now: Date): boolean => isFresh(factorAt, now)

/** Throws `confirmation_required` unless the person proved just now who they are: with a second factor where they have one, else with the password. */
export function mustBeFresh(session: Pick<Session, 'shown' | 'shown_at'>, hasFactor: boolean, now: Date): void {
  const at = hasFactor ? secondFactorAt(session) : session.shown_at
  if (isFresh(at, now)) return
  const what = hasFactor ? 'a code, a recovery code or a passkey' : 'your password'
  throw new Problem('confirmation_required', `Nothing was changed yet: show again that it is you, with ${what}.`)
}
