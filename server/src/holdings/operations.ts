import { z } from 'zod'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Deletion, DeletionInput, Kept } from './schema.ts'
import { deleteWorkspace, storageOf } from './service.ts'

export const storage = workspaceOperation({
  name: 'workspaces.storage',
  http: 'GET /workspace/storage',
  title: 'Read what is stored',
  summary: 'How many bytes the workspace’s backups, pictures and reports take, and the ten sites that added most.',
  scope: 'read',
  effect: 'read',
  rows: 'sites',
  columns: ['url', 'backups', 'added_bytes', 'size_bytes', 'name', 'site_id'],
  input: z.strictObject({}),
  output: Kept,
  example: {},
  handle: storageOf,
})

export const remove = workspaceOperation({
  name: 'workspaces.delete',
  http: 'POST /workspace/deletion',
  title: 'Delete the workspace',
  summary:
    'Delete the whole workspace for good: nobody is let in any more at once, and its sites, backups and history go in the background.',
  guidance: 'dry_run first: it tells what goes, and what stands in the way.',
  scope: 'manage',
  effect: 'destroy',
  byOwner: true,
  waits: true,
  input: DeletionInput,
  output: Deletion,
  example: { name: 'My sites', dry_run: true },
  handle: deleteWorkspace,
})
