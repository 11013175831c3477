import { z } from 'zod'
import { kitOf } from './recovery-kit.ts'
import { KitState, WorkspaceName } from './schema.ts'
import { makeFurther, renameWorkspace } from './service.ts'
import { workspaceOperation } from './workspace-operation.ts'

export const rename = workspaceOperation({
  name: 'workspaces.rename',
  http: 'POST /workspace',
  title: 'Rename the workspace',
  summary: 'Give the workspace another name.',
  scope: 'manage',
  effect: 'change',
  idempotent: true,
  input: z.strictObject({ name: WorkspaceName }),
  output: z.object({ id: z.string(), name: z.string() }),
  example: { name: 'My sites' },
  handle: (context, { name }) => renameWorkspace(context, name),
})

export const create = workspaceOperation({
  name: 'workspaces.create',
  http: 'POST /workspaces',
  title: 'Make a workspace',
  summary: 'Make a further workspace, empty and with a key of its own, of which you become the owner.',
  scope: 'manage',
  effect: 'create',
  status: 201,
  personal: true,
  byOwner: true,
  input: z.strictObject({ name: WorkspaceName }),
  output: z.object({ id: z.string(), name: z.string() }),
  example: { name: 'Another client' },
  handle: (context, { name }) => makeFurther(context, name),
})

export const kit = workspaceOperation({
  name: 'workspaces.recovery_kit',
  http: 'GET /workspace/recovery-kit',
  title: 'Is there a recovery kit?',
  summary:
    'Whether a recovery kit that brings this workspace back was printed with the master key of now, and when. The kit itself is never told.',
  scope: 'manage',
  effect: 'read',
  input: z.strictObject({}),
  output: KitState,
  example: {},
  handle: (context) => kitOf(context),
})
