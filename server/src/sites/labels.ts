// Tags and clients by what somebody calls them: one that no site has is refused, for it would silently mean nobody.
import { type FieldError, Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { folded, likelyMeant } from './near.ts'
import { isClient } from './store.ts'

interface Asked {
  tag?: string | undefined
  client?: string | undefined
}

type Asking = Pick<Context, 'fleet' | 'workspaceId'>

/** The tag and the client that are asked for, as the sites have them that the caller sees. Throws with those that could be meant. */
export async function labelsMeant(context: Asking, asked: Asked): Promise<Asked> {
  const { tag, client } = await lookUp(context, asked)
  return toldOf({ tag, client })
}

/** The same for a list: a client of the workspace who has no sites yet is no mistake. */
export async function labelsListed(context: Asking & Pick<Context, 'db' | 'caller'>, asked: Asked): Promise<Asked> {
  const { tag, client } = await lookUp(context, asked)
  const { sees } = context.caller
  const own = sees ? sees.client === asked.client : asked.client !== undefined && (await isClient(context, asked.client))
  const idle = client?.wrong && own
  return toldOf({ tag, client: idle ? { is: asked.client as string } : client })
}

async function lookUp({ fleet, workspaceId }: Asking, { tag, client }: Asked): Promise<{ [Label in keyof Asked]: Meant | undefined }> {
  if (tag === undefined && client === undefined) return {}
  const sites = await fleet.all(workspaceId)
  const tags = sites.flatMap((site) => site.tags)
  const clients = sites.flatMap((site) => site.client ?? [])
  return {
    tag: tag === undefined ? undefined : meant(tags, { path: 'tag', named: tag, none: 'No site has this tag.' }),
    client: client === undefined ? undefined : meant(clients, { path: 'client', named: client, none: 'No site is of this client.' }),
  }
}

function toldOf(found: { tag: Meant | undefined; client: Meant | undefined }): Asked {
  const { tag, client } = found
  mustBeMeant([tag, client])
  return { ...(tag && { tag: tag.is }), ...(client && { client: client.is }) }
}

const oneOfThem = 'Name one of the candidates.'

/** What is named, as it is written where it is known; else why it is refused. */
export type Meant = { is: string; wrong?: never } | { is?: never; wrong: FieldError }

/** Small and capital letters matter only between names that differ in nothing else. `known` is data: of whoever made the names. */
export function meant(known: readonly string[], { path, named, none }: { path: string; named: string; none: string }): Meant {
  const names = [...new Set(known)]
  if (names.includes(named)) return { is: named }
  const [same, ...others] = names.filter((each) => each.toLowerCase() === named.toLowerCase())
  if (same !== undefined && others.length === 0) return { is: same }
  const near = likelyMeant(
    names.map((name) => ({ name, words: [folded(name)] })),
    named,
  )
  const candidates = same === undefined ? near : [same, ...others]
  if (candidates.length === 0) return { wrong: { path, message: none } }
  return { wrong: { path, message: `${none} ${oneOfThem}`, candidates } }
}

/** Throws when any of it is refused, with all that is. */
export function mustBeMeant(all: readonly (Meant | undefined)[]): void {
  const errors = all.flatMap((each) => each?.wrong ?? [])
  const [first] = errors
  if (first) throw new Problem('invalid_payload', first.message.replace(` ${oneOfThem}`, ''), { errors })
}
