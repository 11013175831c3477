import { z } from 'zod'
import { WorkspaceName } from './schema.ts'
import { renameWorkspace } from './service.ts'
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
