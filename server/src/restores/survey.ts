// Whether a site could take a restore, asked in requests so small that firewalls let them through.
import { mayBeItsSize } from '../connector/ask.ts'
import type { Params, Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { SiteClient } from '../sites/client.ts'

type Asked = Params<'restore.survey'>
type Survey = Result<'restore.survey'>
export type Definition = NonNullable<Asked['creates']>[number]

/** Bytes of definitions in one request: a third longer in an envelope it stays below 64 KiB. */
const room = 40 * 1024
/** Requests of definitions alone. What is beyond is found out when it is laid ready. */
const mostAsked = 24

/** `creates`: definitions that the database is to try. Where they are many, they go first, for which tables stay decides what else does. */
export async function surveyOf(site: Pick<SiteClient, 'ask'>, asked: Asked, creates: Definition[]): Promise<Survey> {
  if (creates.length === 0 || bytesOf([asked, creates]) <= room)
    return site.ask('restore.survey', creates.length > 0 ? { ...asked, creates } : asked)
  const { hindered, beside, untried } = await tryAll(site, asked, creates)
  const stay = new Set([...hindered.map(({ table }) => table), ...beside])
  const without = (names: string[] = []) => names.filter((name) => !stay.has(name))
  const kept = { triggers: without(asked.triggers), keys: without(asked.keys) }
  const survey = await site.ask('restore.survey', { ...asked, tables: without(asked.tables), ...kept })
  return {
    ...survey,
    hindered: [...(survey.hindered ?? []), ...hindered],
    beside: [...(survey.beside ?? []), ...beside],
    untried,
  }
}

type Tried = { [Field in 'hindered' | 'beside' | 'untried']: NonNullable<Survey[Field]> }

/** What does not pass, or takes too long, is asked for in halves; alone, it stays untried. */
async function tryAll(site: Pick<SiteClient, 'ask'>, asked: Asked, creates: Definition[]): Promise<Tried> {
  const all: Tried = { hindered: [], beside: [], untried: [] }
  const pieces = piecesOf(creates)
  for (let n = 0; n < mostAsked && pieces.length > 0; n++) {
    const piece = pieces.shift() ?? []
    const answer = await tryOut(site, asked, piece)
    const late = new Set(answer ? answer.untried : piece.map(({ table }) => table))
    const again = piece.filter(({ table }) => late.has(table))
    if (piece.length > 1) pieces.unshift(...halves(again))
    else all.untried.push(...late)
    all.hindered.push(...(answer?.hindered ?? []))
    all.beside.push(...(answer?.beside ?? []))
  }
  all.untried.push(...pieces.flat().map(({ table }) => table))
  return all
}

/** Null where the request does not pass. */
async function tryOut(site: Pick<SiteClient, 'ask'>, asked: Asked, creates: Definition[]): Promise<Survey | null> {
  const names = new Set(creates.map(({ table }) => table))
  const ofThese = (all: string[] = []) => all.filter((name) => names.has(name))
  const bound = { triggers: ofThese(asked.triggers), keys: ofThese(asked.keys) }
  try {
    return await site.ask('restore.survey', { files: false, tables: [...names], ...bound, creates, bytes: 0 })
  } catch (error) {
    if (error instanceof SiteError && mayBeItsSize(error)) return null
    throw error
  }
}

function piecesOf(creates: Definition[]): Definition[][] {
  const pieces: Definition[][] = []
  let left = 0
  for (const definition of creates) {
    const bytes = bytesOf(definition)
    if (bytes > left) {
      pieces.push([])
      left = room
    }
    pieces.at(-1)?.push(definition)
    left -= bytes
  }
  return pieces
}

function halves(piece: Definition[]): Definition[][] {
  const middle = Math.ceil(piece.length / 2)
  return [piece.slice(0, middle), piece.slice(middle)].filter((half) => half.length > 0)
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
