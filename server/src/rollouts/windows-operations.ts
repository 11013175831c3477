import { z } from 'zod'
import { logEvent } from '../activity/service.ts'
import { RequestedBy } from '../jobs/schema.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { page, Time } from '../kernel/shapes.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import type { Context } from '../world.ts'
import { RolloutInput } from './schema.ts'
import { nextWindow } from './windows.ts'
import { deleteWindow, insertWindow, listWindows } from './windows-store.ts'

const most = 50

const WindowId = z.string().regex(/^window_[0-9a-z]{26}$/, 'Not the id of an update window; they look like window_….')

const UpdateWindow = z.object({
  id: z.string(),
  tag: z.string().nullable().describe('Of sites with this tag; null: all.'),
  weekday: z.int().nullable().describe('0: Sunday, 6: Saturday; null: every day.'),
  at: z.string().describe('HH:MM, UTC.'),
  first_wave: z.int(),
  wave_size: z.int(),
  stop_above_percent: z.int(),
  next_at: Time,
  last_at: Time.nullable().describe('null: its hour has not come yet.'),
  last_rollout_id: z.string().nullable(),
  last_reason: z.string().nullable().describe('Why nothing was begun when its hour came last; null: something was.'),
  set_by: RequestedBy,
  created_at: Time,
})
type UpdateWindow = z.input<typeof UpdateWindow>

export const listUpdateWindows = workspaceOperation({
  name: 'updates.windows',
  http: 'GET /updates/windows',
  title: 'List update windows',
  summary: 'When everything that waits, and that the update rules let through, is updated by itself.',
  scope: 'read',
  effect: 'read',
  list: 'windows',
  columns: ['at', 'weekday', 'tag', 'next_at', 'last_at', 'last_reason', 'id'],
  input: z.strictObject({}),
  output: page('windows', UpdateWindow),
  example: {},
  async handle(context) {
    const windows = await listWindows(context)
    return { windows, total: windows.length, limit: null, next_cursor: null }
  },
})

const { first_wave, wave_size, stop_above_percent } = RolloutInput.shape
const NewWindow = z.strictObject({
  at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time like 01:30.')
    .describe('HH:MM, UTC: when it begins.'),
  weekday: z.int().min(0).max(6).optional().describe('0: Sunday to 6: Saturday; every day if not given.'),
  tag: z.string().trim().min(1).max(100).optional().describe('Only sites with this tag; all if not given.'),
  ...{ first_wave, wave_size, stop_above_percent },
})

export const addUpdateWindow = workspaceOperation({
  name: 'updates.add_window',
  http: 'POST /updates/windows',
  title: 'Add an update window',
  summary: 'Have everything that waits, and that the update rules let through, updated by itself at this hour, in waves.',
  scope: 'write',
  effect: 'create',
  policy: 'settings',
  status: 201,
  input: NewWindow,
  output: UpdateWindow,
  example: { at: '02:00', weekday: 2, tag: 'shops', first_wave: 1, wave_size: 20, stop_above_percent: 20 },
  handle: addWindow,
})

async function addWindow(context: Context, { tag, weekday, ...wanted }: z.output<typeof NewWindow>): Promise<UpdateWindow> {
  if ((await listWindows(context)).length >= most)
    throw new Problem('conflict', `There are ${most} update windows already, and more there may not be.`, { retryable: false })
  const now = context.now()
  const window = {
    id: newId('window', now),
    tag: tag ?? null,
    weekday: weekday ?? null,
    ...wanted,
    set_by: asker(context),
    created_at: now,
  }
  const whole = { ...window, next_at: nextWindow(window, now) }
  await insertWindow(context, whole)
  await note(context, `Update window added: ${inWords(whole)}`)
  return { ...whole, last_at: null, last_rollout_id: null, last_reason: null }
}

export const removeUpdateWindow = workspaceOperation({
  name: 'updates.remove_window',
  http: 'DELETE /updates/windows/{window_id}',
  title: 'Remove an update window',
  summary: 'Begin nothing at this hour any more; what has begun goes on.',
  scope: 'write',
  effect: 'destroy',
  policy: 'deletions',
  input: z.strictObject({ window_id: WindowId }),
  output: UpdateWindow,
  example: { window_id: 'window_01k0000000000000000000000a' },
  async handle(context, { window_id }) {
    const window = await deleteWindow(context, window_id)
    if (!window)
      throw new Problem('not_found', 'There is no such update window in this workspace. GET /updates/windows shows those there are.')
    await note(context, `Update window removed: ${inWords(window)}`)
    return window
  },
})

const days = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays']

const inWords = ({ at, weekday, tag }: Pick<UpdateWindow, 'at' | 'weekday' | 'tag'>) =>
  `${weekday === null ? 'daily' : days[weekday]} at ${at} UTC${tag === null ? '' : `, sites with the tag ${tag}`}`

const note = (context: Context, summary: string) =>
  logEvent(context, { siteId: null, category: 'update', summary: summary.slice(0, 200), by: asker(context), internal: true })
