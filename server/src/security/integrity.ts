// Files that are not as their makers published them.
import { call } from '../connector/call.ts'
import { clean } from '../connector/clean.ts'
import type { Params, Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { comparePaths, pathBytes, type SitePath } from '../connector/site-text.ts'
import type { InventoryItem } from '../inventory/schema.ts'
import { connectionOf, type Talker, type Target } from '../sites/talk.ts'
import { finding } from './checks.ts'
import type { Checksums, Directory } from './directory.ts'
import type { Component, NewFinding } from './schema.ts'

export interface SourceFindings {
  found: NewFinding[]
  /** The checks that could be made. */
  checked: string[]
}

interface Asked {
  directory: Directory
  signal: AbortSignal
  /** Files read so far, for the progress. */
  say(files: number): Promise<void>
}

type Scope = Pick<Params<'security.integrity'>, 'scope' | 'plugin'>
type Files = Map<string, string>

/** No site has so many; a list that goes on is a lie. */
const most = { files: 60_000, slices: 400 }

/** `version` and `locale` are what the site said of its core; plugins are those of its inventory. */
export async function checkFiles(
  here: Talker,
  site: Target,
  { version, locale, plugins }: { version: string; locale: string; plugins: readonly InventoryItem[] },
  asked: Asked,
): Promise<SourceFindings> {
  const read = await reader(here, site, asked)
  const core = await asked.directory.coreChecksums(version, locale)
  const looked: SourceFindings = { found: [], checked: [] }
  if (typeof core !== 'string') add(looked, judgeCore(core, await read({ scope: 'core' }), version))
  add(looked, judgePlugins(await changedPlugins(plugins, asked.directory, read)))
  add(looked, judgeUploads(await read({ scope: 'uploads' })))
  return looked
}

function add(to: SourceFindings, more: SourceFindings): void {
  to.found.push(...more.found)
  to.checked.push(...more.checked)
}

type Read = (scope: Scope) => Promise<Files>

/** Reads one tree, slice by slice; throws a SiteError when the site does not move on or tells too much. */
async function reader(here: Talker, site: Target, { signal, say }: Asked): Promise<Read> {
  const connection = await connectionOf(here, site)
  let listed = 0
  let slices = 0
  return async (scope) => {
    const files: Files = new Map()
    let after: SitePath | null = null
    for (;;) {
      signal.throwIfAborted()
      if (++slices > most.slices || listed > most.files) throw new SiteError('too_large', 'The site’s list of files has no end.')
      const params: Params<'security.integrity'> = { ...scope, after, max_items: 2000, budget_ms: 8000 }
      const { result }: { result: Result<'security.integrity'> } = await call(here.wire, connection, { verb: 'security.integrity', params })
      for (const { p, h } of result.entries) files.set(pathBytes(p).toString(), h)
      listed += result.entries.length
      await say(listed)
      if (result.done) return files
      if (result.after === null || (after !== null && comparePaths(result.after, after) <= 0))
        throw new SiteError('malformed', 'The site’s list of files does not move on.')
      after = result.after
    }
  }
}

const wordpress = (version: string): Component => ({ type: 'core', slug: 'wordpress', name: 'WordPress', version })

export function judgeCore(published: Checksums, files: Files, version: string): SourceFindings {
  const component = wordpress(version)
  const changed = [...files]
    .filter(([path, sum]) => sum !== '' && published.has(path) && !published.get(path)?.includes(sum))
    .map(([path]) => path)
  const foreign = [...files.keys()].filter((path) => /^wp-(admin|includes)\//.test(path) && !published.has(path))
  const missing = [...published.keys()].filter(
    (path) => !files.has(path) && /^wp-(admin|includes)\/|^[^/]+\.php$/.test(path) && path !== 'wp-config-sample.php',
  )
  return {
    found: [
      ...findingsOf('core_modified', changed, { component }),
      ...findingsOf('core_unknown', foreign, { component }),
      ...findingsOf('core_missing', missing, { component }),
    ],
    checked: ['core_modified', 'core_unknown', 'core_missing'],
  }
}

interface Changed {
  item: InventoryItem
  lines: string[]
}

/** Undefined when the directory did not answer. */
async function changedPlugins(plugins: readonly InventoryItem[], directory: Directory, read: Read): Promise<Changed[] | undefined> {
  const all: Changed[] = []
  for (const item of plugins) {
    const folder = item.file.split('/')[0] ?? ''
    if (item.type !== 'plugin' || !item.file.includes('/') || folder === 'svc-connector') continue
    const published = await directory.pluginChecksums(item.slug, item.version)
    if (published === 'silent') return undefined
    if (published === 'unknown' || !/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(folder)) continue
    all.push({ item, lines: differences(published, await read({ scope: 'plugin', plugin: folder })) })
  }
  return all
}

/** The directory's own readme may be newer than the one of the release. */
export function differences(published: Checksums, files: Files): string[] {
  return [...files].flatMap(([path, sum]) => {
    if (sum === '' || /^readme\.(txt|md)$/i.test(path)) return []
    const right = published.get(path)
    if (right) return right.includes(sum) ? [] : [`changed: ${path}`]
    return /\.(php[0-9]?|phtml|phar)$/i.test(path) ? [`not part of it: ${path}`] : []
  })
}

function judgePlugins(changed: Changed[] | undefined): SourceFindings {
  if (!changed) return { found: [], checked: [] }
  const all = changed.flatMap(({ item: { slug, file, name, version }, lines }) =>
    findingsOf('plugin_modified', lines, { key: `plugin:${file}`, component: { type: 'plugin', slug, name, version } }),
  )
  return { found: all, checked: ['plugin_modified'] }
}

function judgeUploads(files: Files): SourceFindings {
  return { found: findingsOf('uploads_php_files', [...files.keys()], {}), checked: ['uploads_php_files'] }
}

const shown = 19

function findingsOf(id: string, paths: string[], more: { key?: string; component?: Component }): NewFinding[] {
  if (paths.length === 0) return []
  const lines = paths.slice(0, shown).map((path) => clean(path, 250))
  const rest = paths.length - lines.length
  return [finding(id, { ...more, evidence: rest > 0 ? [...lines, `and ${rest} more`] : lines })]
}
