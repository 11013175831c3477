import { checkPacks, type PackCheck } from '../backups/check.ts'
import { rebuildWorkspace } from '../backups/rebuild.ts'
import type { Rebuilt } from '../backups/rebuild-store.ts'
import { recordCheck } from '../backups/watch.ts'
import { exportKit, importKit, readKit } from '../workspaces/recovery-kit.ts'
import { rotateMasterKey } from '../workspaces/rotation.ts'
import { getWorkspace } from '../workspaces/service.ts'
import { listBeingDeleted, listSealed } from '../workspaces/store.ts'
import type { World } from '../world.ts'
import type { Command } from './command.ts'

const text = { type: 'string' } as const
const quiet = () => undefined

/** What an operator does about the object store and the keys. */
export const storeCommands: Command[] = [
  {
    name: 'storage check',
    usage: 'storage check [--workspace W] [--deep]',
    summary:
      'whether every pack is in the store with its right size, and database and store are of one time; --deep reads and checks every byte. Fails when not',
    options: { workspace: text, deep: { type: 'boolean' } },
    words: 0,
    async run(world, { workspace, deep }, _words, dialogue) {
      const checks: PackCheck[] = []
      for (const id of await workspaceIds(world, workspace)) {
        const say = (done: number, all: number) => void (done % 500 === 0 && dialogue?.say(`${id}: ${done} of ${all} packs`))
        const found = await checkPacks(world, id, { deep: deep !== undefined, say })
        if (!found.ok) await recordCheck(world, found)
        checks.push(found)
      }
      return { json: checks, text: checks.map(checkText).join('\n') || 'No workspaces yet.', failed: checks.some(({ ok }) => !ok) }
    },
  },
  {
    name: 'storage rebuild',
    usage: 'storage rebuild [--workspace W]',
    summary: 'make the index and the list of backups anew from the objects in the store; safe to repeat. Fails when something is damaged',
    options: { workspace: text },
    words: 0,
    async run(world, { workspace }, _words, dialogue) {
      const workspaces: Rebuilt[] = []
      for (const workspaceId of await workspaceIds(world, workspace))
        workspaces.push(await rebuildWorkspace({ ...world, workspaceId }, dialogue?.say ?? quiet))
      const foreign = workspace === undefined ? await foreignWorkspaces(world) : []
      const hint = foreign.map((id) => `${id}: its objects are here, its key is not; give keys import a recovery kit that has it`)
      const failed = workspaces.some(({ damaged, missing }) => damaged.length + missing.length > 0) || foreign.length > 0
      const lines = [...workspaces.map(rebuiltText), ...hint]
      return { json: { workspaces, without_key: foreign }, text: lines.join('\n') || 'The store is empty, and so is the database.', failed }
    },
  },
  {
    name: 'keys export',
    usage: 'keys export',
    summary: 'print the recovery kit: what reads the backups if this machine is lost. Keep it elsewhere, and secret',
    options: {},
    words: 0,
    async run(world) {
      const kit = await exportKit(world)
      return { json: kit, text: JSON.stringify(kit, null, 2) }
    },
  },
  {
    name: 'keys import',
    usage: 'keys import FILE',
    summary: 'bring the workspaces and keys of a recovery kit into this installation; storage rebuild then finds their backups',
    options: {},
    words: 1,
    begins: true,
    masterKey: ([file = '']) => readKit(file).masterKey,
    async run(world, _options, [file = '']) {
      const imported = await importKit(world, readKit(file))
      return { json: imported, text: `${imported.added.length} workspaces brought in, ${imported.known.length} were here already.` }
    },
  },
  {
    name: 'keys rotate',
    usage: 'keys rotate',
    summary: 'replace the master key and seal every workspace’s key under the new one; then export a new recovery kit',
    options: {},
    words: 0,
    async run(world) {
      const rotated = await rotateMasterKey(world)
      const head = `The master key is now ${rotated.master_key_id}, in ${world.config.masterKeyFile}; ${rotated.workspaces} workspaces are sealed under it.`
      return { json: rotated, text: `${head}\nExport a new recovery kit, and copy the file to other machines that use this database.` }
    },
  },
]

async function workspaceIds(world: World, named: string | undefined): Promise<string[]> {
  if (named !== undefined) return [(await getWorkspace(world, named)).id]
  return (await listSealed(world.db)).map(({ id }) => id)
}

/** Workspaces the store has objects of, and we no key. */
async function foreignWorkspaces({ db, storage }: World): Promise<string[]> {
  const known = new Set([...(await listSealed(db)).map(({ id }) => id), ...(await listBeingDeleted(db))])
  const foreign = new Set<string>()
  for await (const { key } of storage.list('w/')) {
    const id = key.split('/')[1] ?? ''
    if (!known.has(id)) foreign.add(id)
  }
  return [...foreign]
}

function checkText({ workspace_id, ok, packs, bytes, missing, wrong_size, damaged, older, unknown }: PackCheck): string {
  const head = `${workspace_id}: ${packs} packs, ${bytes} bytes, ${unknown} objects the index does not know: ${ok ? 'all there' : 'NOT SOUND'}`
  const named = (what: string, packs: string[]) => packs.map((pack) => `  ${what} ${pack}`)
  return [
    head,
    ...named('missing', missing),
    ...named('of another size', wrong_size),
    ...named('damaged', damaged),
    ...older.map((line) => `  ${line}`),
  ].join('\n')
}

function rebuiltText(found: Rebuilt): string {
  const added = `${found.backups_added.length} backups and ${found.sites_added.length} sites were missing and are back`
  return [
    `${found.workspace_id}: ${found.packs} packs with ${found.blobs} blobs, ${found.bytes} bytes. ${added}; ${found.backups_known} backups were there.`,
    ...found.damaged.map(
      ({ pack, reason, readable, unreadable }) => `  damaged ${pack}: ${reason}; ${readable} blobs of it are saved, ${unreadable} dropped`,
    ),
    ...found.missing.map((pack) => `  missing ${pack}`),
    ...found.backups_incomplete.map(
      ({ backup, listed, finished_at }) =>
        `  incomplete ${backup} of ${finished_at}, ${listed ? 'listed as damaged' : 'pruned or never finished, not listed'}`,
    ),
  ].join('\n')
}
