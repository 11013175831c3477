import { z } from 'zod'
import { RequestedBy } from '../jobs/schema.ts'
import { Time } from '../kernel/shapes.ts'

export const UpdateRuleId = z.string().regex(/^updaterule_[0-9a-z]{26}$/, 'Not the id of an update rule; they look like updaterule_….')

export const Allow = z.enum(['patch', 'minor', 'major', 'never'])
export type Allow = z.infer<typeof Allow>

/** What of what it is about is updated, and how long after it was first offered. */
export const UpdateRule = z.object({
  id: UpdateRuleId,
  type: z.enum(['plugin', 'theme', 'core', 'any']),
  slug: z.string().nullable().describe('The one plugin or theme; null: all of that type.'),
  site_id: z.string().nullable(),
  tag: z.string().nullable(),
  allow: Allow.describe('How far an update may lead; major: as far as it does. never: none.'),
  delay_days: z.int().describe('A version is left out until a site has been offered it for so many days.'),
  name: z.string().describe('The rule in words, as plans name it.'),
  set_by: RequestedBy,
  set_at: Time,
})
export type UpdateRule = z.infer<typeof UpdateRule>
