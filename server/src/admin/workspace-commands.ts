import { goOnDeleting } from '../holdings/clear.ts'
import type { Deletion } from '../holdings/schema.ts'
import { listDeletions } from '../holdings/store.ts'
import { getWorkspace } from '../workspaces/service.ts'
import { listWorkspaces } from '../workspaces/store.ts'
import type { Command } from './command.ts'
import { asOperator } from './world.ts'

const needed = { type: 'string', required: true } as const

export const workspaceCommands: Command[] = [
  {
    name: 'workspace list',
    usage: 'workspace list',
    summary: 'the workspaces there are, a line "ID NAME" for each',
    options: {},
    words: 0,
    async run({ db }) {
      const workspaces = await listWorkspaces(db)
      const lines = workspaces.map(({ id, name }) => `${id} ${name}`)
      return {
        json: workspaces,
        text: lines.join('\n') || 'There is none yet. Make one with: admin owner create --email E --workspace NAME',
      }
    },
  },
  {
    name: 'workspace delete',
    usage: 'workspace delete --workspace W [--confirm NAME]',
    summary: 'delete a workspace with its sites and backups for good; without --confirm, which takes its name, only what would go is told',
    options: { workspace: needed, confirm: { type: 'string' } },
    words: 0,
    async run(world, { workspace, confirm }, _words, dialogue) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const input = confirm === undefined ? { dry_run: true } : { name: confirm }
      const deletion = (await asOperator(world, id, 'workspaces.delete', input)) as unknown as Deletion
      if (!deletion.dry_run) await goOnDeleting(world, dialogue?.say)
      return { json: deletion, text: deletionText(deletion) }
    },
  },
  {
    name: 'workspace deletions',
    usage: 'workspace deletions',
    summary: 'the workspaces that were deleted, by whom, what they held, and how far their deletion is',
    options: {},
    words: 0,
    async run({ db }) {
      const all = await listDeletions(db)
      const lines = all.map(({ workspace_id, name, deleted_at, deleted_by, held, step, sites_told, objects_deleted, finished_at }) =>
        [
          ...[workspace_id, name, `${deleted_at.toISOString().slice(0, 16)} by ${deleted_by.name}`],
          ...[`${held.sites} sites, of which ${sites_told} were told, ${held.backups} backups, ${held.stored_bytes} bytes`],
          finished_at ? 'done' : `not done yet: ${step}, ${objects_deleted} objects deleted`,
        ].join('  '),
      )
      return { json: all, text: lines.join('\n') || 'None was deleted.' }
    },
  },
]

function deletionText({ dry_run, id, name, held, under_way }: Deletion): string {
  const what = Object.entries(held).map(([noun, number]) => `  ${noun.replaceAll('_', ' ')}: ${number}`)
  if (!dry_run)
    return [
      `${id} "${name}" is deleted, with:`,
      ...what,
      'In an hour the service looks through the store once more (workspace deletions says when all is done). The plugin stays installed on its sites: deactivate and delete it there.',
    ].join('\n')
  const jobs = under_way.map(({ id, type, site }) => `  ${type} ${id}${site === null ? '' : ` of ${site}`}`)
  return [
    `Nothing was deleted. With ${id} "${name}" would go:`,
    ...what,
    ...(jobs.length > 0 ? ['What is under way has to end or be canceled first:', ...jobs] : []),
    `Repeat with --confirm and its name.`,
  ].join('\n')
}
