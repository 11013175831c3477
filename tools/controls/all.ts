import { backups } from './backups.ts'
import type { Proofs } from './proof.ts'
import { service } from './service.ts'
import { sites } from './sites.ts'

export const proofs: Proofs = merged([service, backups, sites])

/** One test file may prove controls of several parts. */
function merged(parts: Proofs[]): Proofs {
  const all: Record<string, Proofs[string]> = {}
  for (const part of parts) for (const [test, titles] of Object.entries(part)) all[test] = { ...all[test], ...titles }
  return all
}
