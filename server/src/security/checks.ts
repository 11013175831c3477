// The one description of every check. docs/security-checks.md is generated from it.
import { Problem } from '../kernel/problem.ts'
import type { Check } from './check-entry.ts'
import { checksInside } from './checks-inside.ts'
import { checksOutside } from './checks-outside.ts'
import type { Kind, NewFinding, Source } from './schema.ts'

export const checks: readonly Check[] = [...checksInside, ...checksOutside]

const byId = new Map(checks.map((each) => [each.id, each]))

const checkOf = (id: string): Check => {
  const found = byId.get(id)
  if (!found) throw new Problem('internal', `There is no check ${id}.`)
  return found
}

export const checksOf = (source: Source): string[] => checks.filter((each) => each.source === source).map(({ id }) => id)

/** Who would find what is of this kind, and of this check. */
export const sourcesOf = (wanted: { kind?: Kind | undefined; check?: string | undefined }): ReadonlySet<Source> =>
  new Set(checks.filter(({ id, kind }) => (wanted.kind ?? kind) === kind && (wanted.check ?? id) === id).map(({ source }) => source))

type Details = Partial<Omit<NewFinding, 'check' | 'kind'>> & { evidence: string[] }

/** A finding of a check: the words of the table, and what was seen. */
export function finding(id: string, details: Details): NewFinding {
  const { kind, severity, title, description, fix } = checkOf(id)
  return { check: id, key: '', kind, severity, title, description, fix: fix === 'update' ? null : fix, ...details }
}
