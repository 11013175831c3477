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

/**
 * The tag and the client that are asked for, as the sites have them that the caller sees. Throws with those that could be meant. `isIdle`: a
 * client of whom no site is, and who is no mistake all the same.
 */
export async function labelsMeant(
  { fleet, workspaceId }: Asking,
  asked: Asked,
  isIdle = async (_client: string): Promise<boolean> => false,
): Promise<Asked> {
  if (asked.tag === undefined && asked.client === undefined) return {}
  const sites = await fleet.all(workspaceId)
  const labels = (path: keyof Asked, known: string[], none: string) => {
    const named = asked[path]
    return named === undefined ? undefined : meant(known, { path, named, none })
  }
  const tag = labels(
    'tag',
    sites.flatMap(({ tags }) => tags),
    'No site has this tag.',
  )
  const client = labels(
    'client',
    sites.flatMap((site) => site.client ?? []),
    'No site is of this client.',
  )
  const idle = client?.wrong && asked.client !== undefined && (await isIdle(asked.client))
  mustBeMeant([tag, ...(idle ? [] : [client])])
  return { ...(tag && { tag: tag.is }), ...(client && { client: idle ? asked.client : client.is }) }
}

/** The same for a list: a client of the workspace who has no sites yet is no mistake. */
export const labelsListed = (context: Asking & Pick<Context, 'db' | 'caller'>, asked: Asked): Promise<Asked> =>
  labelsMeant(context, asked, async (client) => {
    const { sees } = context.caller
    return sees ? sees.client === client : isClient(context, client)
  })

/** What is named, as it is written where it is known; else why it is refused. */
export type Meant = { is: string; wrong?: never } | { is?: never; wrong: FieldError }

/** Small and capital letters matter only between names that differ in nothing else. `known` is data: of whoever made the names. */
export function meant(known: readonly string[], { path, named, none }: { path: string; named: string; none: string }): Meant {
  const names = [...new Set(known)]
  if (names.includes(named)) return { is: named }
  const [same, ...others] = names.filter((each) => each.toLowerCase() === named.toLowerCase())
  if (same !== undefined && others.length === 0) return { is: same }
  const near = () =>
    likelyMeant(
      names.map((name) => ({ name, words: [folded(name)] })),
      named,
    )
  const candidates = same === undefined ? near() : [same, ...others]
  return { wrong: { path, message: none, ...(candidates.length > 0 && { candidates }) } }
}

/** Throws when any of it is refused, with all that is. */
export function mustBeMeant(all: readonly (Meant | undefined)[]): void {
  const wrong = all.flatMap((each) => each?.wrong ?? [])
  const [first] = wrong
  if (!first) return
  const errors = wrong.map((each) => ({ ...each, message: each.candidates ? `${each.message} Name one of the candidates.` : each.message }))
  throw new Problem('invalid_payload', first.message, { errors })
}
