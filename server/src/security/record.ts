import type { Kysely } from 'kysely'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import {
  type FindingEvent,
  fixFindings,
  holdFindings,
  insertEvents,
  insertFindings,
  type Known,
  recordLook,
  seeFindings,
} from './record-store.ts'
import type { NewFinding, Observation } from './schema.ts'

/** What a look has changed; the ids of findings. */
export interface Changes {
  opened: string[]
  reopened: string[]
  fixed: string[]
}

const most = 2000

/**
 * Writes what a source has found, in the caller's transaction: new findings open, known ones stay, those it no longer reports are fixed,
 * fixed ones that come back open again. A look that is older than the last one recorded changes nothing.
 */
export async function recordFindings(db: Kysely<unknown>, observation: Observation, findings: readonly NewFinding[]): Promise<Changes> {
  const here = { db, workspaceId: observation.workspaceId }
  const changes: Changes = { opened: [], reopened: [], fixed: [] }
  if (!(await recordLook(here, observation))) return changes
  const known = new Map((await holdFindings(here, observation)).map((each) => [nameOf(each), each]))
  const found = new Map(findings.slice(0, most).map((each) => [nameOf(each), shortened(each)]))
  const news = [...found].filter(([name]) => !known.has(name)).map(([, each]) => ({ ...each, id: newId('finding', observation.at) }))
  const seen = [...found].flatMap(([name, each]) => {
    const before = known.get(name)
    return before ? [{ ...each, id: before.id, again: before.status === 'fixed' }] : []
  })
  changes.opened = news.map(({ id }) => id)
  changes.reopened = seen.filter(({ again }) => again).map(({ id }) => id)
  changes.fixed = [...known.values()].filter((each) => isGone(each, found, observation)).map(({ id }) => id)
  await insertFindings(here, observation, news)
  await seeFindings(here, observation, seen)
  await fixFindings(here, observation.at, changes.fixed)
  await insertEvents(here, observation.at, eventsOf(changes))
  return changes
}

const nameOf = ({ check, key }: Pick<NewFinding, 'check' | 'key'>) => `${check} ${key}`

function isGone(known: Known, found: ReadonlyMap<string, NewFinding>, { checked }: Observation): boolean {
  return known.status !== 'fixed' && !found.has(nameOf(known)) && (checked === undefined || checked.includes(known.check))
}

function eventsOf({ opened, reopened, fixed }: Changes): FindingEvent[] {
  return [
    ...opened.map((id) => ({ id, event: 'opened' as const })),
    ...reopened.map((id) => ({ id, event: 'reopened' as const })),
    ...fixed.map((id) => ({ id, event: 'fixed' as const })),
  ]
}

/** Nothing a site or a feed says makes a row large. */
function shortened(found: NewFinding): NewFinding {
  if (found.key.length > 300) throw new Problem('internal', `The check ${found.check} made a key that is too long.`)
  const cut = (text: string, to: number) => (text.length > to ? `${text.slice(0, to - 1).replace(/[\ud800-\udbff]$/, '')}…` : text)
  return {
    ...found,
    component: found.component ? { ...found.component, name: cut(found.component.name, 100) } : null,
    title: cut(found.title, 300),
    description: cut(found.description, 2000),
    references: (found.references ?? []).slice(0, 10).map((link) => cut(link, 500)),
    evidence: found.evidence.slice(0, 20).map((line) => cut(line, 300)),
  }
}
