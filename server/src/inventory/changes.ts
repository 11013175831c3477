// What somebody else changed on a site: two inventories compared. Seen at a time, by whom nobody knows, and never claimed as ours.
import { logEvent } from '../activity/service.ts'
import { changingJobsSince } from '../jobs/store.ts'
import { harmless } from '../kernel/job.ts'
import { plainWord, quoted } from '../kernel/site-said.ts'
import type { Here } from '../world.ts'
import type { Installed } from './schema.ts'

type Item = Installed['items'][number]
/** `kind`: what became of it; `words`: one clause of ours, in which a name of the site stands only where it is plain. */
export interface Change {
  kind: 'added' | 'removed' | 'version' | 'on' | 'off' | 'admin' | 'setting'
  words: string
}

const THINGS = { core: 'WordPress', plugin: 'plugin', theme: 'theme', mu_plugin: 'must-use plugin', dropin: 'drop-in' } as const
/** Of one look; a restored site differs in everything. */
const mostTold = 20
const version = (text: string) => plainWord(text) ?? 'another version'

function named({ type, slug }: Item): string {
  if (type === 'core') return THINGS.core
  const name = quoted(slug, '')
  return name === '' ? `a ${THINGS[type]}` : `the ${THINGS[type]} ${name}`
}

/** How it is said of what has happened, and of what a plan would do. */
const SAID = {
  done: { added: 'was added', removed: 'was removed', moved: 'went', switched: 'was switched' },
  planned: { added: 'would be added', removed: 'would be removed', moved: 'would go', switched: 'would be switched' },
} as const
type Said = (typeof SAID)[keyof typeof SAID]

/** What differs between two inventories of one site, the connector's own files aside. */
export function changesBetween(before: readonly Item[], after: readonly Item[], said: keyof typeof SAID = 'done'): Change[] {
  const keyOf = ({ type, file }: Item) => `${type} ${file}`
  const theirs = ({ type, slug }: Item) => !(type === 'mu_plugin' && /^(?:000-)?svc-connector-/.test(slug))
  const [old, now] = [before, after].map((items) => new Map(items.filter(theirs).map((item) => [keyOf(item), item])))
  const keys = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])]
  return keys.flatMap((key) => changesOf(old?.get(key), now?.get(key), SAID[said]))
}

function changesOf(old: Item | undefined, now: Item | undefined, said: Said): Change[] {
  const item = now ?? old
  if (!item) return []
  const { type } = item
  const change = (kind: Change['kind'], words: string): Change => ({ kind, words: `${named(item)} ${words}` })
  if (!old) return [change('added', `${said.added}${plainWord(item.version) === undefined ? '' : ` (${item.version})`}`)]
  if (!now) return [change('removed', said.removed)]
  // Of a change of theme the one that is in use says all.
  const switched = now.active !== old.active && (now.active || type !== 'theme')
  return [
    ...(now.version === old.version ? [] : [change('version', `${said.moved} from ${version(old.version)} to ${version(now.version)}`)]),
    ...(switched ? [change(now.active ? 'on' : 'off', `${said.switched} ${now.active ? 'on' : 'off'}`)] : []),
  ]
}

/** Those that a job of none of these types makes. */
const besides = (types: readonly string[], changes: readonly Change[], { jobKinds }: Pick<Here, 'jobKinds'>) =>
  changes.filter(({ kind }) => types.every((type) => jobKinds.get(type)?.changesOnly?.includes(kind) === false))
const COMPARED: Partial<Record<Change['kind'], string>> = { admin: 'its administrators', setting: 'its settings' }

/** Keeps what somebody else changed as lines of the activity, for colleagues. A job of ours that may have done it leaves nothing to tell. */
export async function recordChanges(
  here: Pick<Here, 'db' | 'now' | 'workspaceId' | 'jobKinds'>,
  siteId: string,
  since: Date,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return
  const meanwhile = await changingJobsSince(here, siteId, { since, apartFrom: harmless(here.jobKinds) })
  const foreign = besides(meanwhile, changes, here)
  const logged = foreign.length > mostTold ? foreign.slice(0, mostTold - 1) : foreign
  const notes = (kind?: Change['kind']) =>
    `Seen by comparing ${(kind && COMPARED[kind]) ?? 'what is installed'} with ${since.toISOString().slice(0, 16).replace('T', ' ')} UTC. Not done by this service; by whom is not known.`
  const by = { type: 'site', id: siteId, name: 'Seen on the site' } as const
  const event = { siteId, by, internal: true, seenAfter: since }
  for (const { kind, words } of logged)
    await logEvent(here, { ...event, category: categoryOf(kind), summary: sentence(words), notes: notes(kind) })
  if (logged.length < foreign.length)
    await logEvent(here, {
      ...event,
      category: 'other',
      summary: `${foreign.length - logged.length} more changes were seen at the same time`,
      notes: notes(),
    })
}

const categoryOf = (kind: Change['kind']) => (kind === 'version' ? 'update' : kind === 'admin' ? 'security' : 'other')
const sentence = (words: string) => words.replace(/^./, (letter) => letter.toUpperCase())
