import type { Severity } from '../vulnerabilities/schema.ts'
import type { Kind, Source } from './schema.ts'

export interface Check {
  id: string
  source: Source
  kind: Kind
  /** What it usually is; a finding may differ and then says why. */
  severity: Severity
  title: string
  /** What it means, and what to do where no tweak and no update does it. */
  description: string
  /** A tweak's id, an update, or nothing of ours. */
  fix: { tweak_id: string } | 'update' | null
  /** How it is found. */
  how: string
}

/** One line of the table. */
export function check(
  { fix, ...facts }: Pick<Check, 'id' | 'source' | 'kind' | 'severity'> & { fix: string | null },
  [title, description, how]: [title: string, description: string, how: string],
): Check {
  return { ...facts, title, description, how, fix: fix === null || fix === 'update' ? fix : { tweak_id: fix } }
}
