// What has changed of late, as this node heard it: enough for whoever was away for a moment to go on where he was.
import { randomBytes } from 'node:crypto'
import { type Change, changeKinds } from '../kernel/change.ts'
import type { Signals } from './signals.ts'

interface Heard extends Change {
  n: number
  workspaceId: string | null
}

export interface Changes {
  /** A place behind all that was heard so far. */
  now(): string
  /** What was heard of a workspace behind a place; undefined: that is not known, so everything may have changed. */
  since(workspaceId: string, place: string): Change[] | undefined
  /** Until something came behind that place, of whomever; so long at most, and not when the signal says so. */
  more(place: string, ms: number, signal: AbortSignal): Promise<void>
}

/** Of all workspaces together. */
const mostKept = 20_000

export function openChanges(signals: Pick<Signals, 'on'>, most = mostKept): Changes {
  // Places of another node, or of an earlier process, mean nothing here.
  const node = randomBytes(6).toString('hex')
  const heard: Heard[] = []
  const waiting = new Set<() => void>()
  let last = 0
  const keep = (workspaceId: string | null, what: Omit<Change, 'at'>) => {
    last += 1
    heard.push({ ...what, n: last, workspaceId, at: `${node}-${last}` })
    if (heard.length > 2 * most) heard.splice(0, heard.length - most)
    for (const wake of waiting) wake()
  }
  const forget = () => {
    heard.length = 0
    keep(null, { kind: 'reset', id: null, site_id: null })
  }
  signals.on('svc_sites', {
    hear(payload) {
      const [workspaceId = '', id = null] = payload.split(' ')
      keep(workspaceId, { kind: 'site', id, site_id: id })
    },
    forget,
  })
  signals.on('svc_changes', {
    hear(payload) {
      const [workspaceId = '', kind = '', id = null, of = null, internal] = payload.split(' ')
      const known = changeKinds.find((each) => each === kind)
      if (!known) return
      if (id === '*') keep(workspaceId, { kind: known, id: null, site_id: null, sites: of?.split(',') ?? [] })
      else keep(workspaceId, { kind: known, id, site_id: of, ...(internal === 'internal' && { internal: true }) })
    },
    forget: () => undefined,
  })
  const numberOf = (place: string): number | undefined => {
    const [, of, n = ''] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(place) ?? []
    return of === node ? Number(n) : undefined
  }
  return {
    now: () => `${node}-${last}`,
    since(workspaceId, place) {
      const n = numberOf(place)
      const first = heard[0]?.n ?? last + 1
      if (n === undefined || n > last || n < first - 1) return undefined
      // What was heard is in order and without gaps.
      const news = heard.slice(n + 1 - first).filter((each) => each.workspaceId === null || each.workspaceId === workspaceId)
      return news.map(({ n: _, workspaceId: __, ...change }) => change)
    },
    async more(place, ms, signal) {
      if (numberOf(place) !== last || signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const timer = setTimeout(wake, ms)
      waiting.add(wake)
      signal.addEventListener('abort', wake)
      await promise
      clearTimeout(timer)
      waiting.delete(wake)
      signal.removeEventListener('abort', wake)
    },
  }
}
