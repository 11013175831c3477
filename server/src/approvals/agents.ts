import { z } from 'zod'
import { RequestedBy } from '../jobs/schema.ts'
import { Time } from '../kernel/shapes.ts'
import { findPause } from '../workspaces/store.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { pauseAgents } from './pause.ts'

const Agents = z.object({
  paused_at: Time.nullable().describe('Since when no token of the workspace is let in; null: they are.'),
  paused_by: RequestedBy.nullable(),
})

const nothing = z.strictObject({})

export const state = workspaceOperation({
  name: 'agents.get',
  http: 'GET /agents',
  title: 'Are agents paused?',
  summary: 'Whether the tokens of the workspace are let in, or paused, and by whom.',
  scope: 'manage',
  effect: 'read',
  input: nothing,
  output: Agents,
  example: {},
  handle: (context) => findPause(context),
})

export const pause = workspaceOperation({
  name: 'agents.pause',
  http: 'POST /agents/pause',
  title: 'Pause all agents',
  summary: 'Refuse every token of the workspace from now on, everywhere at once, until somebody lets them go on.',
  scope: 'manage',
  effect: 'change',
  idempotent: true,
  waits: true,
  input: nothing,
  output: Agents,
  example: {},
  handle: (context) => pauseAgents(context, true),
})

export const resume = workspaceOperation({
  name: 'agents.resume',
  http: 'POST /agents/resume',
  title: 'Let agents go on',
  summary: 'Let the tokens of the workspace in again, each with what it may do.',
  scope: 'manage',
  effect: 'change',
  idempotent: true,
  waits: true,
  input: nothing,
  output: Agents,
  example: {},
  handle: (context) => pauseAgents(context, false),
})
