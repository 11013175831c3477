// For tests: a site in memory that answers as the connector does, byte caps and positions included.
import { createCipheriv } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SiteFiles } from '../src/backups/engine/pull-files.ts'
import { walkOrder } from '../src/backups/engine/site-path.ts'
import type { FileReads } from '../src/connector/call.ts'
import type { Params, Result } from '../src/connector/commands.ts'
import { pathBytes, sitePath } from '../src/connector/site-text.ts'

export type Node = { path: Buffer; type: 'f' | 'd' | 'l' | 'x'; mode: number; mtime: number; bytes: Buffer; target?: Buffer }

const T0 = 1_760_000_000
const NAMES = [
  'new\nline.txt',
  '-rf',
  'é-nfc.txt',
  'e\u0301-nfd.txt',
  'CaSe.txt',
  'case.txt',
  'quote\'"`$;&|.txt',
  'žluťoučký 🚀.jpg',
  ' lead',
  'a\\b',
  '2010',
]

/** Bytes that do not compress and are the same on every machine. */
const noise = (seed: number, length: number) =>
  createCipheriv('aes-256-ctr', Buffer.alloc(32, seed & 255), Buffer.alloc(16, seed >> 8)).update(Buffer.alloc(length))

/** A tree with the names and shapes that go wrong, in walk order. */
export function hostileTree(files: number, seed = 1): Node[] {
  const nodes: Node[] = []
  const file = (path: Buffer | string, bytes: Buffer, mode = 0o644, mtime = T0) =>
    nodes.push({ path: Buffer.from(path), type: 'f', mode, mtime, bytes })
  const folder = (path: string) => nodes.push({ path: Buffer.from(path), type: 'd', mode: 0o755, mtime: T0, bytes: Buffer.alloc(0) })
  for (const path of ['odd', 'odd/empty-dir', 'src', 'src.d', 'up', 'up/2026']) folder(path)
  for (const [i, name] of NAMES.entries()) file(`odd/${name}`, noise(seed + i, 100 + i))
  file(`odd/${'n'.repeat(240)}.txt`, Buffer.from('long'))
  file(Buffer.concat([Buffer.from('odd/'), Buffer.from([0xff, 0xfe, 0x41, 0xe9])]), Buffer.from('not UTF-8'))
  file('odd/empty.txt', Buffer.alloc(0))
  file('odd/ro.txt', Buffer.from('ro'), 0o444, 1_262_304_000)
  file('odd/exec.sh', Buffer.from('#!/bin/sh\n'), 0o755)
  file('odd/zeros.bin', Buffer.alloc(4_000_000))
  file('up/2026/clip.mp4', noise(seed + 77, 9 * 1024 * 1024 + 12_345))
  file('up/2026/exact.bin', noise(seed + 78, 4 * 1024 * 1024))
  nodes.push({ path: Buffer.from('odd/link-in'), type: 'l', mode: 0o777, mtime: T0, bytes: Buffer.alloc(0), target: Buffer.from('-rf') })
  for (let i = 0; i < files; i++) file(`${i % 3 ? 'src' : 'src.d'}/f-${i}.php`, noise(seed + i, 200 + ((i * 7919) % 60_000)), 0o644, T0 - i)
  return nodes.sort((a, b) => walkOrder(a.path, b.path))
}

export type Counts = { bytesRead: number; requests: number; inFlight: number; mostInFlight: number }

/** A file tree behind the connector's two file verbs. Change `nodes` to change the site. */
export class MemorySite implements SiteFiles {
  nodes: Node[]
  /** What lies in wp-content when that is outside the WordPress folder. */
  content: Node[] = []
  readonly counts: Counts = { bytesRead: 0, requests: 0, inFlight: 0, mostInFlight: 0 }
  /** Called before each answer to files.read; may change the tree or throw. */
  beforeRead: (params: Params<'files.read'>) => void = () => undefined
  pageItems = 50
  /** How long an answer to files.read takes. */
  answerMs = 0
  excluded: { p: string; why: string }[] = []

  constructor(nodes: Node[]) {
    this.nodes = nodes
  }

  readonly list = async ({ root, after, max_items }: Params<'files.list'>): Promise<Result<'files.list'>> => {
    const from = after === null ? Buffer.alloc(0) : pathBytes(after)
    const behind = this.#nodesOf(root).filter((node) => walkOrder(node.path, from) > 0)
    const page = behind.slice(0, Math.min(max_items, this.pageItems))
    const done = page.length === behind.length
    const last = page.at(-1)
    const entries = page.map((node) => ({
      p: sitePath(node.path),
      t: node.type,
      m: node.mode,
      s: node.bytes.length,
      ...this.#times(node),
      ...linkOf(node),
    }))
    const excluded = this.excluded.filter(
      ({ p }) => walkOrder(Buffer.from(p), from) > 0 && (done || (last && walkOrder(Buffer.from(p), last.path) < 0)),
    )
    return { entries, excluded: root === 'abspath' ? excluded : [], after: last ? sitePath(last.path) : after, done }
  }

  readonly read = async (params: Params<'files.read'>, signal: AbortSignal): Promise<FileReads> => {
    const { counts } = this
    counts.requests += 1
    counts.inFlight += 1
    counts.mostInFlight = Math.max(counts.mostInFlight, counts.inFlight)
    await pause(this.answerMs)
    counts.inFlight -= 1
    signal.throwIfAborted()
    this.beforeRead(params)
    return this.#answer(params)
  }

  find(path: string | Buffer): Node {
    const node = this.nodes.find((candidate) => candidate.path.equals(Buffer.from(path)))
    if (!node) throw new Error(`no ${path}`)
    return node
  }

  #nodesOf(root: string): Node[] {
    return root === 'abspath' ? this.nodes : root === 'content' ? this.content : []
  }

  #answer({ root, items, max_bytes }: Params<'files.read'>): FileReads {
    const nodes = new Map(this.#nodesOf(root).map((node) => [node.path.toString('latin1'), node]))
    const answers: FileReads['items'] = []
    let room = max_bytes
    for (const { p, o, n } of items) {
      if (room <= 0) break
      const node = nodes.get(pathBytes(p).toString('latin1'))
      const bytes = node ? Buffer.from(node.bytes.subarray(o, o + Math.min(n, room))) : Buffer.alloc(0)
      room -= bytes.length
      this.counts.bytesRead += bytes.length
      const times = node ? this.#times(node) : { mt: 0, ct: 0, i: 0 }
      answers.push({
        status: node ? 'ok' : 'missing',
        n: bytes.length,
        s: node?.bytes.length ?? 0,
        ...times,
        encoding: 'identity',
        wire: bytes.length,
        bytes,
      })
    }
    return { items: answers, done: answers.length === items.length, payload: Buffer.alloc(0), bodyMs: 1 }
  }

  #times(node: Node) {
    return { mt: node.mtime, ct: node.mtime + 5, i: 1000 + node.path.length }
  }
}

const linkOf = (node: Node) => (node.target ? { to: sitePath(node.target) } : {})
