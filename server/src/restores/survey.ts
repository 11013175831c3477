// Whether a site could take a restore, asked in requests so small that firewalls let them through.
import { mayBeItsSize } from '../connector/ask.ts'
import type { Params, Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { SiteClient } from '../sites/client.ts'
import { groupsOf, type KeyTies } from './key-ties.ts'

type Asked = Params<'restore.survey'>
type Survey = Result<'restore.survey'>
export type Definition = NonNullable<Asked['creates']>[number]

/** Bytes of definitions in one request: a third longer in an envelope it stays below 64 KiB. */
const room = 40 * 1024
/** Requests of definitions alone. What is beyond is found out when it is laid ready. */
const mostAsked = 24

/**
 * `creates`: definitions that the database is to try. Where they are many, they go first, for which tables stay decides what else does. Those that
 * are tied go together, for whether a key can be made is known where both its ends are.
 */
export async function surveyOf(site: Pick<SiteClient, 'ask'>, asked: Asked, creates: Definition[], ties: KeyTies): Promise<Survey> {
  if (creates.length === 0 || bytesOf([asked, creates]) <= room)
    return site.ask('restore.survey', creates.length > 0 ? { ...asked, creates } : asked)
  const { hindered, beside, untried } = await tryAll(site, asked, creates, ties)
  const stay = new Set([...hindered.map(({ table }) => table), ...beside])
  const without = (names: string[] = []) => names.filter((name) => !stay.has(name))
  const kept = { triggers: without(asked.triggers), keys: without(asked.keys) }
  const survey = await site.ask('restore.survey', { ...asked, tables: without(asked.tables), ...kept })
  return {
    ...survey,
    hindered: [...(survey.hindered ?? []), ...hindered],
    beside: [...(survey.beside ?? []), ...beside],
    untried: [...new Set(untried)],
  }
}

type Tried = { [Field in 'hindered' | 'beside' | 'untried']: NonNullable<Survey[Field]> }
/** Definitions that are tied to each other. */
type Group = Definition[]

/** What does not pass, or takes too long, is asked for in halves; alone, it stays untried. So do keys that lead from one request to another. */
async function tryAll(site: Pick<SiteClient, 'ask'>, asked: Asked, creates: Definition[], ties: KeyTies): Promise<Tried> {
  const all: Tried = { hindered: [], beside: [], untried: [] }
  const stays = new Set<string>()
  const moves = new Set([...creates.map(({ table }) => table), ...(asked.extra ?? [])])
  const pieces = piecesOf(groupsOf(creates, ties))
  for (let n = 0; n < mostAsked && pieces.length > 0; n++) {
    const piece = pieces.shift() ?? []
    const here = new Set(piece.flat().map(({ table }) => table))
    const isApart = (name: string) => moves.has(name) && !here.has(name) && !stays.has(name)
    const tied = [...here].map((table) => ({ table, apart: [...(ties.get(table) ?? [])].filter(isApart) }))
    const apart = [...new Set(tied.flatMap((each) => each.apart))]
    const answer = await tryOut(site, asked, { creates: piece.flat(), apart })
    all.hindered.push(...(answer?.hindered ?? []))
    all.beside.push(...(answer?.beside ?? []))
    for (const table of answer?.beside ?? []) stays.add(table)
    // One that is lost comes back without its triggers.
    for (const { table, why } of answer?.hindered ?? []) if (why !== 'triggers') stays.add(table)
    const late = new Set(answer ? answer.untried : here)
    if (here.size > 1) pieces.unshift(...halves(leftOf(piece, late, stays)))
    else all.untried.push(...late)
    if (answer) all.untried.push(...tied.flatMap((each) => (each.apart.length > 0 ? [each.table] : [])))
  }
  all.untried.push(...pieces.flat(2).map(({ table }) => table))
  return { ...all, untried: all.untried.filter((table) => !stays.has(table)) }
}

/** Of a piece the groups in which one is late, without what stays; of one group those that are late, each alone. */
function leftOf(piece: Group[], late: ReadonlySet<string>, stays: ReadonlySet<string>): Group[] {
  const left = piece.map((group) => group.filter(({ table }) => !stays.has(table)))
  if (piece.length > 1) return left.filter((group) => group.some(({ table }) => late.has(table)))
  return alone(left.flat().filter(({ table }) => late.has(table)))
}

type Trial = { creates: Definition[]; apart: string[] }

/** Null where the request does not pass. `apart`: tables that are exchanged too, but not known to this request. */
async function tryOut(site: Pick<SiteClient, 'ask'>, asked: Asked, { creates, apart }: Trial): Promise<Survey | null> {
  const names = new Set(creates.map(({ table }) => table))
  const ofThese = (all: string[] = []) => all.filter((name) => names.has(name))
  const bound = { triggers: ofThese(asked.triggers), keys: ofThese(asked.keys), ...(apart.length > 0 && { apart }) }
  try {
    return await site.ask('restore.survey', { files: false, tables: [...names], ...bound, creates, bytes: 0 })
  } catch (error) {
    if (error instanceof SiteError && mayBeItsSize(error)) return null
    throw error
  }
}

function piecesOf(groups: Group[]): Group[][] {
  const pieces: Group[][] = []
  let left = 0
  for (const group of groups.flatMap((each) => (bytesOf(each) > room ? alone(each) : [each]))) {
    const bytes = bytesOf(group)
    if (bytes > left) {
      pieces.push([])
      left = room
    }
    pieces.at(-1)?.push(group)
    left -= bytes
  }
  return pieces
}

const alone = (group: Group): Group[] => group.map((definition) => [definition])

function halves(piece: Group[]): Group[][] {
  const middle = Math.ceil(piece.length / 2)
  return [piece.slice(0, middle), piece.slice(middle)].filter((half) => half.length > 0)
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
