import { z } from 'zod'

/** Whose sites these are: an agency, a team, a person. Everything else belongs to exactly one workspace. */
export const WorkspaceName = z.string().trim().min(1, 'Must not be empty.').max(100, 'At most 100 characters.')

/** Long rather than odd: length is what makes guessing hopeless. */
export const Password = z.string().min(12, 'At least 12 characters.').max(200, 'At most 200 characters.')

export const Email = z.email('Not an e-mail address.').max(254)

export interface Workspace {
  id: string
  name: string
}
