// The verbs of an update that can be taken back (connector/PROTOCOL.md §7): parameters and answers, with caps on everything.
import { z } from 'zod'
import { count, identifier, link, text, unix } from './site-text.ts'

const version = text(50)
const job = { job: z.string(), fence: z.int() }
const item = {
  ...job,
  type: z.enum(['plugin', 'theme', 'core', 'translations']),
  file: z.string(),
  expect_version: z.string().optional(),
}
const budget = { budget_ms: z.int().min(1) }
const Done = z.object({ done: z.boolean() })

const Status = z.object({
  phase: z.enum(['none', 'staging', 'armed', 'swapping', 'swapped', 'committed', 'rolling_back', 'rolled_back']),
  job: text(64),
  id: text(16),
  type: text(20),
  file: text(255),
  busy: z.boolean(),
  hung: z.boolean().default(false),
  shut: z.boolean().default(false),
})

const write = { write: true, slice: false } as const
const read = { write: false, slice: false } as const

export const UPDATE_VERBS = {
  'updates.guard': {
    params: z.strictObject({ ...item, ...budget }),
    result: z.object({
      verdict: z.enum(['ready', 'copying', 'already_current', 'not_possible']),
      reason: text(300),
      version,
      active: z.boolean(),
      pages: z.array(z.object({ page: identifier(40), url: link(1_000) })).max(10),
      alone: z.string().regex(/^(\/svc-connector-recovery-[0-9a-f]{16}\.php)?$/),
      echo: z.string().regex(/^([0-9a-f]{32})?$/),
      post: count,
      events: count,
      noted: z.boolean().default(true),
      trial: z.boolean().default(false),
      untried: text(40).default(''),
    }),
    ...write,
  },
  'updates.apply': {
    params: z.strictObject({ ...item, passed: z.boolean().optional() }),
    result: z.object({
      status: z.enum(['updated', 'already_current', 'failed']),
      phase: z.enum(['armed', 'swapped']),
      from_version: version,
      to_version: version,
      reason: text(300).optional(),
      messages: z.array(text(500)).max(100),
      held: z.array(text(100)).max(20).default([]),
      wrote: z.boolean().default(false),
    }),
    ...write,
  },
  'updates.probe': {
    params: z.strictObject({}),
    result: Status.extend({
      version,
      active: z.boolean(),
      clone: z.boolean(),
      events: count,
      fatals: z
        .array(z.object({ message: text(300), file: text(300), line: unix, by: z.enum(['look', 'item', 'other']).default('other') }))
        .max(10),
      trial: z.boolean().default(false),
      held: z.array(text(100)).max(20).default([]),
      without: z
        .array(z.string().regex(/^[0-9a-f]{32}$/))
        .max(500)
        .optional(),
      changed: z.array(text(255)).max(20).default([]),
      lost: z.array(text(255)).max(50).default([]),
      lost_events: z.array(text(100)).max(50).default([]),
    }),
    ...read,
  },
  'updates.page': {
    params: z.strictObject({ path: z.string() }),
    result: z.object({
      status: count,
      text: z.string().max(2_000_000),
      location: text(2_000),
      lets_in: z.boolean().optional(),
      rest: count.optional(),
      trial: z.boolean().default(false),
    }),
    ...read,
  },
  'updates.status': {
    params: z.strictObject({}),
    result: Status.extend({ changed: z.array(text(255)).max(20).default([]) }),
    ...read,
  },
  'updates.rollback': { params: z.strictObject(job), result: Done.extend({ unmended: text(500).default('') }), ...write },
  'updates.release': {
    params: z.strictObject({ ...job, keep: z.boolean(), ...budget }),
    result: Done.extend({ kept: z.boolean() }),
    ...write,
  },
} as const
