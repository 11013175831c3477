// The verbs of the tweaks (connector/PROTOCOL.md §7): parameters and answers, with caps on everything.
import { z } from 'zod'
import { identifier, link, text } from './site-text.ts'

const order = { job: z.string(), fence: z.int(), id: z.string() }
const write = { write: true, slice: false } as const

const TweakSeen = z.object({
  id: identifier(40),
  on: z.boolean(),
  holds: z.boolean().nullable(),
  others: z.boolean().nullable(),
  by: text(200),
  obstacle: text(500),
})
export type TweakSeen = z.infer<typeof TweakSeen>

export const TWEAK_VERBS = {
  'tweaks.list': {
    params: z.strictObject({ prove: z.boolean() }),
    result: z.object({
      server: z.enum(['apache', 'litespeed', 'nginx', 'other']),
      uploads: text(500),
      items: z.array(TweakSeen).max(100),
    }),
    write: false,
    slice: false,
  },
  'tweaks.try': {
    params: z.strictObject({ ...order, end: z.boolean() }),
    result: z.object({ url: link(1000) }),
    ...write,
  },
  'tweaks.apply': {
    params: z.strictObject(order),
    result: z.object({ status: z.enum(['applied', 'refused']), reason: text(500), armed: z.boolean() }),
    ...write,
  },
  'tweaks.revert': {
    params: z.strictObject(order),
    result: z.object({ status: z.enum(['reverted', 'already', 'refused']), reason: text(500) }),
    ...write,
  },
  'tweaks.confirm': {
    params: z.strictObject(order),
    result: z.object({ kept: z.boolean() }),
    ...write,
  },
} as const
