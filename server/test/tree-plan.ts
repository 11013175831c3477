// Which files the yardstick tree has: a WordPress site of 1 GB with the names and shapes that a restore gets wrong.
import { Dice, noise, picture, sourceCode, vocabulary } from './tree-content.ts'

/** One file to be written. Times in unix seconds. */
export interface PlannedFile {
  path: string
  size: number
  mtime: number
  mode: number
  content(): Buffer
}
export interface PlannedTree {
  files: PlannedFile[]
  /** Made even if nothing lies in them. */
  folders: string[]
  link: { path: string; target: string }
  /** The dump of a table, written row by row: its rows, and its bytes where they are known before. */
  dump: { path: string; rows: number }
}

export const START = 1_760_000_000
const DAY = 86_400
/** Of the whole tree. */
export const WHOLE = { files: 20_002, folders: 1_985, bytes: 1_002_955_332 }

const counts = { core: 3_202, plugins: 9_796, themes: 552, pictures: 700, documents: 30, cache: 1_500 }
const pluginNumber = 24
const sizesPerPicture = ['', '-150x150', '-300x200', '-600x400', '-768x512', '-1024x683', '-scaled']
const shareOfSize = [1, 60, 30, 14, 9, 6, 3]
const bytes = { core: 46e6, plugins: 118e6, themes: 6e6, documents: 30e6, cache: 16e6, video: 60e6 }
const dumpRows = 113_000

/** `share` 1 is the whole tree of 1 GB; a smaller one has fewer files, rows and bytes alike. */
export function planTree(share: number): PlannedTree {
  const scaled = (number: number) => Math.max(1, Math.round(number * share))
  const odd = oddFiles()
  const texts = [...core(scaled), ...plugins(scaled), ...themes(scaled)]
  const media = [...documents(scaled), ...pictures(scaled)]
  const dump = { path: 'wp-content/backup/database.sql', rows: scaled(dumpRows) }
  const others = [...texts, ...media, ...odd]
  const folders = new Set([...others, dump, { path: 'wp-content/uploads/odd/empty-folder/-' }].flatMap(({ path }) => foldersOf(path)))
  const cached = cachePages(scaled, Math.max(1, scaled(WHOLE.folders) - folders.size - 2))
  return {
    files: [...others, ...cached],
    folders: ['wp-content/uploads/odd/empty-folder'],
    link: { path: 'wp-content/uploads/odd/link', target: 'one-byte' },
    dump,
  }
}

export function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_part, i) => parts.slice(0, i + 1).join('/'))
}

type Scaled = (number: number) => number

const text = (path: string, size: number, mtime: number): PlannedFile => ({
  ...{ path, size, mtime, mode: 0o644 },
  content: () => sourceCode(path, size),
})
const image = (path: string, size: number, mtime: number): PlannedFile => ({
  ...{ path, size, mtime, mode: 0o644 },
  content: () => picture(path, size),
})

/** So many sizes that together are `total`: most small, a few large. */
export function spread(label: string, number: number, total: number): number[] {
  const dice = new Dice(`sizes ${label}`)
  const weights = Array.from({ length: number }, () => (1 + dice.roll(12)) * (1 + dice.roll(12)) * (1 + dice.roll(8)) * (1 + dice.roll(6)))
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return weights.map((weight) => Math.max(64, Math.floor((total * weight) / sum)))
}

function core(scaled: Scaled): PlannedFile[] {
  const dice = new Dice('core')
  const places = [
    '',
    'wp-admin/',
    'wp-admin/css/',
    'wp-admin/includes/',
    'wp-admin/js/',
    'wp-includes/',
    'wp-includes/blocks/',
    'wp-includes/js/',
  ]
  const blocks = scaled(100)
  return spread('core', scaled(counts.core), bytes.core * (scaled(counts.core) / counts.core)).map((size, i) =>
    text(
      `${dice.pick(places).replace(/blocks.$/, `blocks/${i % blocks}/`)}${dice.favour(vocabulary)}-${i}.${dice.pick(['php', 'php', 'js', 'css', 'json'])}`,
      size,
      START - 40 * DAY,
    ),
  )
}

function plugins(scaled: Scaled): PlannedFile[] {
  const dice = new Dice('plugins')
  const places = ['', 'admin/', 'assets/css/', 'assets/js/', 'includes/', 'languages/', 'templates/', 'vendor/shared/lib/src/']
  const number = scaled(counts.plugins)
  // The first ones are large, as on most sites.
  const plugin = () => Math.min(dice.roll(pluginNumber), dice.roll(pluginNumber))
  return spread('plugins', number, bytes.plugins * (number / counts.plugins)).map((size, i) => {
    const [slug, place] = [`plugin-${plugin()}`, dice.pick(places)]
    const path = `wp-content/plugins/${slug}/${place}${dice.favour(vocabulary)}-${i}.${dice.pick(['php', 'php', 'js', 'css', 'po'])}`
    const mtime = START - (5 + slug.length * 7) * DAY
    if (!place.startsWith('vendor/')) return text(path, size, mtime)
    // A library that many plugins bring along: the same bytes again and again.
    const library = dice.roll(60)
    const shared = 3_000 + library * 330
    return { path, size: shared, mtime, mode: 0o644, content: () => sourceCode(`library ${library}`, shared) }
  })
}

function themes(scaled: Scaled): PlannedFile[] {
  const dice = new Dice('themes')
  return spread('themes', scaled(counts.themes), bytes.themes * (scaled(counts.themes) / counts.themes)).map((size, i) =>
    text(
      `wp-content/themes/theme-${i % 3}/${dice.pick(['', 'inc/', 'parts/'])}${dice.favour(vocabulary)}-${i}.php`,
      size,
      START - 90 * DAY,
    ),
  )
}

function documents(scaled: Scaled): PlannedFile[] {
  const number = scaled(counts.documents)
  const papers = spread('documents', number, bytes.documents * (number / counts.documents))
  const clips = [0, 1].map((i) =>
    image(`wp-content/uploads/video/clip-${i}.mp4`, Math.floor((scaled(bytes.video) / 2) * (1 + i / 1000)), START - 200 * DAY),
  )
  return [...papers.map((size, i) => image(`wp-content/uploads/papers/${i}.pdf`, size, START - i * DAY)), ...clips]
}

function pictures(scaled: Scaled): PlannedFile[] {
  const dice = new Dice('pictures')
  const number = scaled(counts.pictures)
  return spread('pictures', number, 348e6 * (number / counts.pictures)).flatMap((size, i) => {
    const [month, mtime] = [`${2022 + dice.roll(4)}/${String(1 + dice.roll(12)).padStart(2, '0')}`, START - dice.roll(400) * DAY]
    return pictureSizes(`wp-content/uploads/${month}/${dice.favour(vocabulary)}-${i}`, size, mtime)
  })
}

/** A picture and its six smaller copies. */
export function pictureSizes(name: string, size: number, mtime: number): PlannedFile[] {
  return sizesPerPicture.map((suffix, k) => image(`${name}${suffix}.jpg`, 2_000 + Math.floor(size / (shareOfSize[k] ?? 1)), mtime))
}

function cachePages(scaled: Scaled, folders: number): PlannedFile[] {
  const number = scaled(counts.cache)
  return spread('cache', number, bytes.cache * (number / counts.cache)).map((size, i) =>
    text(`wp-content/cache/pages/${i % folders}/page-${Math.floor(i / folders)}.html`, size, START - (i % DAY)),
  )
}

/** Names and shapes that a restore gets wrong. */
function oddFiles(): PlannedFile[] {
  const folder = 'wp-content/uploads/odd/'
  const odd: [string, Buffer, { mtime?: number; mode?: number }?][] = [
    ['empty', Buffer.alloc(0)],
    ['one-byte', Buffer.from('1')],
    ['caf\u00e9 composed.txt', Buffer.from('NFC')],
    ['cafe\u0301 composed.txt', Buffer.from('NFD')],
    ['line\nbreak.txt', Buffer.from('two lines')],
    ['-rf', Buffer.from('no option')],
    [`${'long'.repeat(60)}.txt`, Buffer.from('244 bytes of name')],
    ['Case.txt', Buffer.from('upper')],
    ['case.txt', Buffer.from('lower')],
    ['read-only.txt', Buffer.from('0444'), { mode: 0o444 }],
    ['program.sh', Buffer.from('#!/bin/sh\n'), { mode: 0o755 }],
    ['old.txt', Buffer.from('of 2001'), { mtime: 1_000_000_000 }],
    ['quotes \'"`$(x);&|<>.txt', Buffer.from('quoted')],
    [' spaces and [brackets] .txt', Buffer.from('spaced')],
    ['\u{1f4f7} ža\u0165.jpg', noise('odd picture', 1_000)],
    ['zeros.bin', Buffer.alloc(4_000_000)],
    ['one-mebibyte.bin', noise('odd mebibyte', 1_048_576)],
    [`${'deep/'.repeat(40)}bottom.txt`, Buffer.from('deep')],
  ]
  return odd.map(([name, content, { mtime = START, mode = 0o644 } = {}]) => ({
    ...{ path: folder + name, size: content.length, mtime, mode },
    content: () => content,
  }))
}
