import { z } from 'zod'
import { RequestedBy } from '../jobs/schema.ts'
import { effectKinds, jumps } from '../kernel/effects.ts'
import { Time } from '../kernel/shapes.ts'

/** What becomes of a call of an agent that needs approvals: done at once, asked of a person, or refused. */
export const Decision = z.enum(['auto', 'ask', 'never'])
export type Decision = z.infer<typeof Decision>

export const Effect = z.enum(effectKinds)
export const JumpOf = z.enum(jumps)

/** A decision that somebody set: for all sites, for one, or for those with a tag. */
export const Rule = z.object({
  effect: Effect,
  jump: JumpOf.nullable(),
  site_id: z.string().nullable(),
  tag: z.string().nullable(),
  decision: Decision,
})
export type Rule = z.infer<typeof Rule>

/** Where a rule holds. */
export type Place = Pick<Rule, 'site_id' | 'tag'>

const Narrowed = z.object({
  site_id: z.string().nullable().describe('Of this site alone; it goes before what its tags say.'),
  tag: z.string().nullable().describe('Of sites with this tag; of several the strictest holds.'),
  decision: Decision,
})

export const Policies = z.object({
  version: z.int().describe('0: as usual, nobody has set anything.'),
  set_by: RequestedBy.nullable(),
  set_at: Time.nullable(),
  effects: z.array(
    z.object({
      effect: Effect,
      jump: JumpOf.nullable().describe('Of updates: how far they lead.'),
      title: z.string(),
      decision: Decision.describe('For sites about which nothing else is said.'),
      usual: Decision.describe('As long as nobody sets anything.'),
      always_asks: z.boolean().describe('true: it is never done without asking, whatever is set.'),
      narrowed: z.array(Narrowed),
    }),
  ),
})
export type Policies = z.infer<typeof Policies>

const Change = z.object({
  effect: Effect,
  jump: JumpOf.nullable(),
  site_id: z.string().nullable(),
  tag: z.string().nullable(),
  before: Decision.nullable().describe('null: nothing was said for that site or tag.'),
  after: Decision.nullable(),
  looser: z.boolean().describe('Whether less is asked for than before.'),
})
export type Change = z.infer<typeof Change>

export const PolicyVersion = z.object({ version: z.int(), title: z.string(), change: Change, set_by: RequestedBy, set_at: Time })
export type PolicyVersion = z.infer<typeof PolicyVersion>

/** Which policy decided over a call, as its approval keeps it. */
export const DecidedBy = z.object({
  version: z.int(),
  decision: Decision,
  rule: z.string().describe('In words.'),
  set_by: RequestedBy.nullable().describe('Who set that version; null: nobody, it is as usual.'),
})
export type DecidedBy = z.infer<typeof DecidedBy>
