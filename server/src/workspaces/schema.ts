import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'

/** Whose sites these are: an agency, a team, a person. Everything else belongs to exactly one workspace. */
export const WorkspaceName = z.string().trim().min(1, 'Must not be empty.').max(100, 'At most 100 characters.')

/** Long rather than odd: length is what makes guessing hopeless. */
export const Password = z.string().min(12, 'At least 12 characters.').max(200, 'At most 200 characters.')

export const Email = z.email('Not an e-mail address.').max(254)

/** Which sites of a workspace somebody sees: those with one of the ids, the tag and the client that are named. */
export const Sees = z.strictObject({
  site_ids: z
    .array(z.string().regex(/^site_[0-9a-z]{26}$/, 'Not a site id; they look like site_….'))
    .min(1)
    .max(500)
    .optional()
    .describe('One of these.'),
  tag: z.string().min(1).max(100).optional().describe('With this tag, now or later.'),
  client: z.string().min(1).max(200).optional().describe('Of this client, now or later.'),
})

export interface Workspace {
  id: string
  name: string
}

/** A person in a workspace. owner and admin do everything, but owners are made by owners alone; member works on sites; viewer looks. */
export const Role = z.enum(['owner', 'admin', 'member', 'viewer'])
export type Role = z.infer<typeof Role>

/** The recovery kit, of which nothing is told here but whether somebody printed it. */
export const KitState = z.object({
  state: z
    .enum(['never', 'older_than_key', 'current'])
    .describe(
      'never: none that was printed has this workspace. older_than_key: the master key was replaced since; it still opens what it names.',
    ),
  exported_at: Time.nullable().describe('When keys export last printed one that has it.'),
})
export type KitState = z.infer<typeof KitState>
