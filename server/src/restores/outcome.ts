// What a restore comes to: what it changed of what is installed, what stayed, and what it was warned of.
import { counted } from '../kernel/job.ts'

/** What a restore left as it was, and what it was warned of. */
export interface Kept {
  kept: string[]
  warnings: string[]
}
/** `changes`: of what is installed, from which version to which; null: nobody knows, absent: a restore of an earlier version. */
export type Restored = Kept & { changes?: string[] | null }

const mostNamed = 6

/** What is told behind what was done. */
export function andWhat({ kept, warnings, changes = [] }: Restored): string {
  const more = [
    ...(changes === null ? ['what it changed of what is installed is not known'] : changes.slice(0, mostNamed)),
    ...(changes && changes.length > mostNamed ? [counted(changes.length - mostNamed, 'more change')] : []),
    ...(kept.length > 0 ? [`${counted(kept.length, 'thing')} stayed as before`] : []),
    ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
  ]
  return more.length > 0 ? `: ${more.join(', ')}` : ''
}

/** What stayed as it was, and everything that was warned of on the way. */
export function keptOf(...states: unknown[]): Kept {
  const parts = states as (Partial<Kept> | undefined)[]
  return { kept: parts.flatMap((each) => each?.kept ?? []), warnings: parts.flatMap((each) => each?.warnings ?? []) }
}
