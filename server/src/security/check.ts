// One look at a site by all sources, or some; what they find is recorded source by source.
import type { Kysely } from 'kysely'
import { call } from '../connector/call.ts'
import type { Facts } from '../connector/security-commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Inventory } from '../inventory/schema.ts'
import { collectInventory } from '../inventory/service.ts'
import { Problem } from '../kernel/problem.ts'
import type { SiteSaid } from '../kernel/site-said.ts'
import { type Target, talk } from '../sites/talk.ts'
import type { Here } from '../world.ts'
import { noteAdmins, recordFailedLook } from './check-store.ts'
import { checksOf } from './checks.ts'
import { openDirectory } from './directory.ts'
import { judgeFacts } from './facts.ts'
import { compareSiteWithFeed } from './feed.ts'
import { checkFiles, type SourceFindings } from './integrity.ts'
import { checkFromOutside } from './look-outside.ts'
import { outdated, unmaintained } from './outdated.ts'
import { type Changes, recordFindings } from './record.ts'

/** What a whole check looks with; the feed is compared whenever it or an inventory is new. */
export const sourcesOfCheck = ['facts', 'inventory', 'integrity', 'outside'] as const
export type CheckSource = (typeof sourcesOfCheck)[number]

export interface SourceResult extends Changes {
  source: CheckSource
  status: 'checked' | 'failed'
  findings: number
  error: string | null
  site_said: SiteSaid | null
}

export interface CheckOptions {
  /** Which sources look; each needs no other. */
  sources: readonly CheckSource[]
  /** The site asks for updates first. */
  refresh: boolean
  /** What is installed, where it has just been asked. */
  inventory?: Inventory | undefined
  signal: AbortSignal
  phase(source: CheckSource): Promise<void>
  files(read: number): Promise<void>
  /** What an earlier attempt has done. */
  before(source: CheckSource): Promise<SourceResult | undefined>
  save(source: CheckSource, result: SourceResult, db: Kysely<unknown>): Promise<void>
}

/** Looks with each source in turn. A source that fails leaves what it found before as it is, and says why it failed. */
export async function runCheck(here: Here, site: Target & { home: string }, options: CheckOptions): Promise<SourceResult[]> {
  const seen = sight(here, site, options)
  const results: SourceResult[] = []
  for (const source of options.sources) {
    options.signal.throwIfAborted()
    const before = await options.before(source)
    results.push(before ?? (await record(here, site, { source, look: seen[source] }, options)))
  }
  if (options.sources.includes('inventory')) await compareSiteWithFeed(here, site.id)
  here.changed(here.workspaceId, [site.id])
  return results
}

async function record(here: Here, site: Target, { source, look }: Looking, options: CheckOptions): Promise<SourceResult> {
  const of = { siteId: site.id, source, at: here.now() }
  await options.phase(source)
  try {
    const judge = await look()
    return await here.db.transaction().execute(async (db) => {
      const { found, checked } = await judge(db)
      const changes = await recordFindings(db, { ...of, workspaceId: here.workspaceId, checked }, found)
      const result = { source, status: 'checked' as const, findings: found.length, error: null, site_said: null, ...changes }
      await options.save(source, result, db)
      return result
    })
  } catch (error) {
    if (!(error instanceof SiteError || error instanceof Problem)) throw error
    await recordFailedLook(here, of, error.message)
    const { message, siteSaid } = error
    return { source, status: 'failed', findings: 0, error: message, site_said: siteSaid, opened: [], reopened: [], fixed: [] }
  }
}

/** What a source makes of what it saw, in the transaction that records it. */
type Judgement = (db: Kysely<unknown>) => Promise<SourceFindings>
interface Looking {
  source: CheckSource
  look: () => Promise<Judgement>
}
type Sight = Record<CheckSource, () => Promise<Judgement>>

/** How each source looks. What two of them need is asked of the site once. */
function sight(here: Here, site: Target & { home: string }, options: CheckOptions): Sight {
  const directory = openDirectory(here)
  const once = <T>(ask: () => Promise<T>) => {
    let answer: Promise<T> | undefined
    return () => {
      answer ??= ask()
      return answer
    }
  }
  const facts = once(() => askFacts(here, site))
  const factsIfAny = () => facts().catch(ignoring(undefined))
  const inventory = once(async () => options.inventory ?? collectInventory(here, site, { refresh: options.refresh }))
  return {
    facts: async () => {
      const answer = await facts()
      return async (db) => {
        const strangers = await noteAdmins({ ...here, db }, site.id, answer.admins, here.now())
        return { found: judgeFacts(answer, strangers, here.now()), checked: checksOf('facts') }
      }
    },
    inventory: async () => {
      const { items } = await inventory()
      const listed = new Set((await factsIfAny())?.plugins.filter((plugin) => plugin.listed).map(({ file }) => file))
      const old = await unmaintained(items, listed, directory, here.now())
      const checked = ['core_outdated', 'plugin_outdated', 'theme_outdated', ...(old ? ['plugin_closed', 'plugin_abandoned'] : [])]
      return async () => ({ found: [...outdated(items), ...(old ?? [])], checked })
    },
    integrity: async () => {
      const { wp_version: version, locale } = await facts()
      const { items: plugins } = await inventory().catch(ignoring<Pick<Inventory, 'items'>>({ items: [] }))
      const asked = { directory, signal: options.signal, say: options.files }
      const looked = await checkFiles(here, site, { version, locale, plugins }, asked)
      return async () => looked
    },
    outside: async () => {
      const { reached, found, checked } = await checkFromOutside(here, site, await factsIfAny(), options)
      if (!reached && found.length === 0) throw new Problem('site_unreachable', 'The front page could not be read from outside.')
      return async () => ({ found, checked })
    },
  }
}

const ignoring =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (error instanceof Problem || error instanceof SiteError) return instead
    throw error
  }

async function askFacts(here: Here, site: Target): Promise<Facts> {
  const { result } = await talk(here, site, (deps, connection, options) =>
    call(deps, connection, { verb: 'security.facts', params: {} }, options),
  )
  return result
}
