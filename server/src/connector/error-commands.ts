// The verb that hands over PHP errors (connector/PROTOCOL.md §4): parameters and answer, with caps on everything.
import { z } from 'zod'
import { count, text, unix } from './site-text.ts'

const times = z.int().min(1).max(9_999_999_999)

const Logged = z.object({
  count: times,
  first: unix,
  last: unix,
  level: z.enum(['fatal', 'warning', 'notice', 'deprecated']),
  message: text(500),
  file: text(300),
  line: z.int().min(0).max(999_999_999),
  component: z.object({ type: z.enum(['plugin', 'theme', 'mu_plugin', 'dropin', 'core', 'other']), slug: text(200) }),
  frames: z.array(text(220)).max(8),
  path: text(300).nullable().optional(),
  php: text(40).optional(),
})
export type Logged = z.infer<typeof Logged>

/** `id`: of the file in which it is kept. */
export const Captured = Logged.extend({ id: z.string().regex(/^[0-9a-f]{32}-[0-9a-f]{16}$/) })

const LogRead = z.object({ inode: count, offset: count })

export const ERROR_VERBS = {
  'errors.collect': {
    params: z.strictObject({ drop: z.array(z.string()).max(400), log: LogRead.nullable(), budget_ms: z.int().min(1) }),
    result: z.object({
      time: unix,
      capturing: z.boolean(),
      full: z.boolean(),
      whole: z.boolean(),
      errors: z.array(Captured).max(400),
      log: LogRead.extend({ skipped: count }).nullable(),
      logged: z.array(Logged).max(100),
    }),
    write: false,
    slice: false,
  },
} as const
