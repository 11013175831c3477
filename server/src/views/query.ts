import { z } from 'zod'
import { FleetFilters } from '../fleet/filters.ts'

/** What a view may hold. */
const Kept = z.strictObject(FleetFilters)

const longest = 2_000

/** Filters as an address has them: each one that is known, once. */
export const Query = z
  .string()
  .max(longest)
  .transform((text, context) => {
    const given = [...new URLSearchParams(text)]
    const wrong = (message: string) => context.addIssue({ code: 'custom', message })
    const names = given.map(([name]) => name)
    if (new Set(names).size < names.length) wrong('Must name each filter once.')
    const { success, data, error } = Kept.safeParse(Object.fromEntries(given))
    if (!success) {
      const [first] = error.issues
      wrong(
        first?.code === 'unrecognized_keys'
          ? `Leave out what is no filter: ${first.keys.join(', ').slice(0, 100)}.`
          : `${first?.path.join('.') ?? ''}: ${first?.message ?? ''}`,
      )
      return z.NEVER
    }
    const query = new URLSearchParams(data as Record<string, string>).toString()
    if (query.length > longest) wrong(`Must be at most ${longest} characters, as an address has them.`)
    return query
  })
