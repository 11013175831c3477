// Which plugins and themes a restore would change: what stands at the head of the files it would put, beside what the site has installed.
import type { Manifest } from '../backups/engine/manifest.ts'
import { PackDamage } from '../backups/engine/pack-format.ts'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import type { Hello, Result } from '../connector/commands.ts'
import { pathBytes } from '../connector/site-text.ts'
import { changesBetween } from '../inventory/changes.ts'
import { counted } from '../kernel/job.ts'
import { discard } from '../platform/discard.ts'
import type { FilePlan, Op } from './plan.ts'
import { inWordPress, type Places, placesOf } from './scope.ts'

type Item = Result<'inventory'>['items'][number]
/** `changes`: in words; null: nobody knows, and `why` says it. */
export type Foreseen = { changes: string[]; why?: undefined } | { changes: null; why: string }

/** WordPress itself reads no more of a file to find its header. */
const headBytes = 8_192
/** Each is a read from where the backups lie, and somebody waits for the plan. */
const mostRead = 400
const mostTold = 30

const unknown = (because: string): Foreseen => ({
  changes: null,
  why: `Which plugins and themes would change is not known: ${because}. The result of the restore tells it.`,
})
export const siteDoesNotTell = unknown('the site does not tell what is installed now')

/** What of plugins and themes would be another version, come or go. `installed`: what the site has now. */
export async function foresee(
  { files }: { files: FilePlan | null },
  { manifest, read }: { manifest: Manifest; read: ReadBlob },
  { hello, installed }: { hello: Hello; installed: Item[] },
): Promise<Foreseen> {
  const places = placesOf(manifest, hello)
  const steps = (files?.ops ?? []).map((op) => ({ op, path: whereOf(op, places) }))
  if (steps.some(({ op, path }) => hidesAFolder(op, path, installed))) return unknown('something else takes the place of a folder of them')
  const heads = steps.flatMap(({ op, path }) => (op.k === 'put' || op.k === 'del' ? (headOf(path, op) ?? []) : []))
  if (heads.length > mostRead) return unknown(`more than ${mostRead} of their files differ`)
  const contents = new Map((files?.contents ?? []).map(({ sha256, blobs }) => [sha256, blobs]))
  const after = new Map(installed.map((item) => [keyOf(item), item]))
  try {
    for (const head of heads) {
      const blob = head.h === undefined ? undefined : contents.get(head.h)?.[0]
      const said = blob === undefined ? undefined : headerIn(await textOf(read, blob), head.type)
      const now = after.get(keyOf(head))
      if (said) after.set(keyOf(head), { ...(now ?? unseen(head)), ...said })
      else after.delete(keyOf(head))
    }
  } catch (error) {
    if (!(error instanceof PackDamage)) throw error
    return unknown('what the backup holds of them is damaged')
  }
  const words = changesBetween(bare(installed), bare([...after.values()]), 'planned').map((change) => change.words)
  return { changes: words.length > mostTold ? [...words.slice(0, mostTold), counted(words.length - mostTold, 'more change')] : words }
}

type Head = Pick<Item, 'type' | 'file' | 'slug'> & { h: string | undefined }
const keyOf = ({ type, file }: Pick<Item, 'type' | 'file'>) => `${type} ${file}`

const whereOf = ({ r, p }: Op, places: Places) => Buffer.from(inWordPress(places, r, pathBytes(p)), 'latin1').toString('utf8')

const HEADS = /^wp-content\/(?:(plugins)\/((?:[^/]+\/)?[^/]+\.php)|(mu-plugins)\/([^/]+\.php)|(themes)\/([^/]+)\/style\.css)$/
const TYPES = { plugins: 'plugin', 'mu-plugins': 'mu_plugin', themes: 'theme' } as const

/** The plugin or theme that a file may be the beginning of. */
function headOf(path: string, { k, h }: { k: string; h?: string }): Head | undefined {
  const [folder, file] = (HEADS.exec(path) ?? []).slice(1).filter((part) => part !== undefined) as [keyof typeof TYPES, string]
  if (folder === undefined || path === 'wp-content/mu-plugins/index.php') return undefined
  const slug = folder === 'plugins' && file.includes('/') ? (file.split('/')[0] ?? file) : file.replace(/^.*\//, '').replace(/\.php$/, '')
  return { type: TYPES[folder], file, slug, h: k === 'put' ? h : undefined }
}

/** A folder that is exchanged for something else takes along what is in it, file by file unsaid. */
function hidesAFolder({ k }: Op, path: string, installed: Item[]): boolean {
  const [folder, name] = (/^wp-content\/(plugins|themes)\/([^/]+)$/.exec(path) ?? []).slice(1) as [keyof typeof TYPES, string]
  if (folder === undefined) return false
  const stands = installed.some(
    ({ type, file }) => type === TYPES[folder] && (file.startsWith(`${name}/`) || (type === 'theme' && file === name)),
  )
  return k === 'link' || (k === 'put' && stands)
}

async function textOf(read: ReadBlob, blob: string): Promise<string> {
  const bytes = await read(blob)
  const text = Buffer.from(bytes.subarray(0, headBytes)).toString('utf8')
  discard(bytes)
  return text
}

/** As WordPress reads it; a must-use plugin needs no header. */
function headerIn(text: string, type: Item['type']): { name?: string; version: string } | undefined {
  const field = (name: string) =>
    new RegExp(`^(?:[ \\t]*<\\?php)?[ \\t/*#@]*${name}:(.*)$`, 'im')
      .exec(text.replaceAll('\r', '\n'))?.[1]
      ?.split(/\*\/|\?>/, 1)[0]
      ?.trim()
  const name = field(type === 'theme' ? 'Theme Name' : 'Plugin Name')
  return name || type === 'mu_plugin' ? { ...(name && { name }), version: field('Version') ?? '' } : undefined
}

const unseen = ({ type, file, slug }: Head): Item => ({
  ...{ type, file, slug, name: slug, version: '', active: false, auto_update: false, update: null, author: '', uri: '' },
})
/** What is on offer for them is no part of it. */
const bare = (items: Item[]) => items.map((item) => ({ ...item, update: null }))
