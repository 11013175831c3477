// What changes is told by the service as it happens; what is on screen of it, and nothing else, is asked anew.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { whenIdle } from './ui/idle.ts'
import { lookForName } from './ui/siteNames.ts'

interface Change {
  kind: 'site' | 'job' | 'rollout' | 'activity' | 'notice' | 'approval' | 'incident' | 'ready' | 'reset'
  id: string | null
  site_id: string | null
}

/** The lists whose every change is told: the others are asked for as before. */
const heard: Record<string, readonly string[]> = {
  site: ['sites.', 'fleet.'],
  job: ['jobs.'],
  rollout: ['rollouts.'],
  activity: ['activity.'],
  notice: ['notifications.list', 'notifications.deliveries'],
  approval: ['approvals.'],
  incident: ['uptime.list', 'uptime.incidents'],
}
/** What the jobs of a site lead to, and what is found out about it without one. */
const ofJobs = ['backups.', 'security.', 'links.', 'performance.']
const among = (names: readonly string[], name: string) => names.some((each) => name.startsWith(each))
const isHeard = (name: string) => among([...Object.values(heard).flat(), ...ofJobs], name)

let open = false
/** Whether the stream runs and tells of these. */
export const hears = (name: string) => open && isHeard(name)

/** So long changes are gathered before anything is asked: of very many at once there is one question. */
const gatherMs = 400
/** A job is told of as it moves on; what it leads to is asked for now and then, and once more behind its end. */
const ofJobsMs = 5_000
const againMs = 15_000
/** In the place of a site: what is asked about all of them. */
const allSites = ''

/** Follows the changes of the workspace while the page is looked at: a hidden one holds no connection. */
export function useChanges(enabled: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!enabled) return
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const gathered = gather(client)
    const stop = () => {
      clearTimeout(timer)
      source?.close()
      source = undefined
      open = false
    }
    const start = () => {
      if (source || document.hidden) return
      source = new EventSource('/api/v1/events')
      source.onopen = () => {
        open = true
      }
      source.onerror = () => {
        // It comes again by itself, unless it was refused.
        open = false
        if (source?.readyState !== EventSource.CLOSED) return
        stop()
        timer = setTimeout(start, againMs)
      }
      for (const kind of [...Object.keys(heard), 'ready', 'reset'])
        source.addEventListener(kind, ({ data }: MessageEvent<string>) => gathered.add(JSON.parse(data) as Change))
    }
    const follow = () => (document.hidden ? stop() : start())
    document.addEventListener('visibilitychange', follow)
    // What it begins with is a question about all that is on screen: not before that is drawn.
    const leave = whenIdle(follow)
    return () => {
      leave()
      document.removeEventListener('visibilitychange', follow)
      stop()
      gathered.stop()
    }
  }, [client, enabled])
}

function gather(client: QueryClient) {
  let changes: Change[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const working = new Map<string, ReturnType<typeof setTimeout>>()
  const worked = (site_id: string) => {
    working.delete(site_id)
    const isOf = (input: unknown) => [undefined, site_id].includes((input as { site_id?: string } | undefined)?.site_id)
    void client.invalidateQueries({ predicate: ({ queryKey: [name, input] }) => among(ofJobs, String(name)) && isOf(input) })
  }
  const refresh = () => {
    const gathered = changes
    changes = []
    timer = undefined
    for (const { kind, id } of gathered) if (kind === 'site' && id !== null) lookForName(client, id)
    void client.invalidateQueries({
      predicate: ({ queryKey: [name, input] }) => gathered.some((change) => concerns(change, String(name), input)),
    })
  }
  return {
    add(change: Change) {
      // What was asked before the stream began may have changed since; what is being asked right now is asked once.
      if (change.kind === 'ready')
        return void client.invalidateQueries({ predicate: ({ queryKey: [name] }) => isHeard(String(name)) }, { cancelRefetch: false })
      const { kind, site_id } = change
      // A site is told of with what was found about it; over many of them it is asked for now and then.
      const about = kind === 'job' ? site_id : kind === 'site' ? allSites : null
      if (about !== null && !working.has(about))
        working.set(
          about,
          setTimeout(() => worked(about), ofJobsMs),
        )
      changes.push(change)
      timer ??= setTimeout(refresh, gatherMs)
    },
    stop() {
      for (const each of [timer, ...working.values()]) clearTimeout(each)
    },
  }
}

/** Whether what was asked may be another answer by now. */
function concerns({ kind, id, site_id }: Change, name: string, input: unknown): boolean {
  if (name === 'session' || name === 'names') return false
  if (kind === 'reset') return true
  if (!among(heard[kind] ?? [], name)) {
    // What was found out about a site changes with its row; what only one page shows of it is asked with that page.
    return kind === 'site' && site_id !== null && (input as { site_id?: string } | undefined)?.site_id === site_id
  }
  const {
    site_id: of,
    job_id,
    rollout_id,
    approval_id,
  } = (input ?? {}) as Partial<Record<'site_id' | 'job_id' | 'rollout_id' | 'approval_id', string>>
  const ids = [job_id, rollout_id, approval_id].filter((each) => each !== undefined)
  if (ids.length > 0) return id === null || ids.includes(id)
  return of === undefined || site_id === null || of === site_id
}
