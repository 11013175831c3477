import type { Proofs } from '../mutation/proof.ts'
import { approvals } from './approvals.ts'
import { backups } from './backups.ts'
import { factors } from './factors.ts'
import { hearing } from './hearing.ts'
import { joining } from './joining.ts'
import { lab } from './lab.ts'
import { cves } from './native-cves.ts'
import { nativeSites } from './native-sites.ts'
import { people } from './people.ts'
import { plugin } from './plugin.ts'
import { reports } from './reports.ts'
import { service } from './service.ts'
import { shares } from './shares.ts'
import { sites } from './sites.ts'
import { supply } from './supply.ts'
import { words } from './words.ts'

export const proofs: Proofs = merged([
  service,
  people,
  factors,
  approvals,
  sites,
  joining,
  hearing,
  shares,
  words,
  backups,
  supply,
  plugin,
  cves,
  nativeSites,
  reports,
  lab,
])

/** One test file may prove controls of several parts. */
function merged(parts: Proofs[]): Proofs {
  const all: Record<string, Proofs[string]> = {}
  for (const part of parts) for (const [test, titles] of Object.entries(part)) all[test] = { ...all[test], ...titles }
  return all
}
