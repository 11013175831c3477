// What a deleted workspace held is taken away in the background, a portion at a time: a process that dies leaves the rest to another.
import { sayGoodbye } from '../sites/service.ts'
import { targetOf } from '../sites/talk.ts'
import type { World } from '../world.ts'
import {
  type Clearing,
  claimDeletion,
  deleteSome,
  deleteWorkspaceRow,
  noteProgress,
  type Progress,
  sitesAfter,
  tablesOfWorkspaces,
} from './clear-store.ts'

/** So long a portion is its process's alone. */
const leaseMs = 5 * 60_000
const afterErrorMs = 10 * 60_000
/** Whoever wrote into the store when the workspace was deleted has ended by then. */
const lastLookMs = 3_600_000
const sitesAtOnce = 8
const rowsAtOnce = 1000
const objectsAtOnce = 16

type Here = Pick<World, 'db' | 'now' | 'log' | 'storage' | 'stopping' | 'wire' | 'masterKey' | 'changed'>

/** The duty: until nothing is due. */
export async function goOnDeleting(world: Here, say: (line: string) => void = () => undefined): Promise<void> {
  while (!world.stopping.aborted) {
    const now = world.now()
    const claimed = await claimDeletion(world.db, now, later(world, leaseMs))
    if (!claimed) return
    try {
      await clear(world, claimed, say)
    } catch (error) {
      world.log.warn(
        { err: error, workspace_id: claimed.workspace_id },
        'a deleted workspace could not be cleared away and is tried again later',
      )
      await noteProgress(world.db, claimed, { dueAt: later(world, afterErrorMs) })
    }
  }
}

const later = ({ now }: Pick<Here, 'now'>, ms: number) => new Date(now().getTime() + ms)

async function clear(world: Here, claimed: Clearing, say: (line: string) => void): Promise<void> {
  const note = (made: Omit<Progress, 'dueAt'>, ms = leaseMs) => noteProgress(world.db, claimed, { dueAt: later(world, ms), ...made })
  const { workspace_id: id, step } = claimed
  if (step === 'sites' && (await tellSites(world, claimed, note))) await note({ step: 'rows' }, 0)
  else if (step === 'rows' && (await deleteRows(world, id, note))) await note({ step: 'objects' }, 0)
  else if (step === 'objects' && (await deleteObjects(world, id, note))) await note({ step: 'last look' }, lastLookMs)
  else if (step === 'last look' && (await deleteObjects(world, id, note))) await note({ step: 'done', finishedAt: world.now() })
  // It ends, and whoever begins next goes on at once.
  else return note({}, 0)
  say(`${id}: ${step} done`)
}

type Note = (made: Omit<Progress, 'dueAt'>) => Promise<void>

/** Each that can be reached forgets the service. False: it was broken off. */
async function tellSites(world: Here, claimed: Clearing, note: Note): Promise<boolean> {
  const here = { ...world, workspaceId: claimed.workspace_id }
  for (let last_site = claimed.last_site; !world.stopping.aborted; ) {
    const ids = await sitesAfter(world.db, { ...claimed, last_site }, sitesAtOnce)
    if (ids.length === 0) return true
    const goodbyes = await Promise.all(ids.map(async (id) => sayGoodbye(here, await targetOf(here, id))))
    last_site = ids.at(-1) ?? last_site
    await note({ lastSite: last_site, told: goodbyes.filter(Boolean).length })
  }
  return false
}

async function deleteRows({ db, stopping }: Here, workspaceId: string, note: Note): Promise<boolean> {
  for (const table of await tablesOfWorkspaces(db))
    for (let deleted = rowsAtOnce; deleted === rowsAtOnce; await note({})) {
      if (stopping.aborted) return false
      deleted = await deleteSome(db, table, workspaceId, rowsAtOnce)
    }
  await deleteWorkspaceRow(db, workspaceId)
  return true
}

async function deleteObjects({ storage, stopping }: Here, workspaceId: string, note: Note): Promise<boolean> {
  let keys: string[] = []
  const flush = async () => {
    await Promise.all(keys.map((key) => storage.delete(key)))
    await note({ objects: keys.length })
    keys = []
  }
  for await (const { key } of storage.list(`w/${workspaceId}/`)) {
    if (stopping.aborted) return false
    if (keys.push(key) === objectsAtOnce) await flush()
  }
  if (keys.length > 0) await flush()
  return true
}
