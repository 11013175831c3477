import type { z } from 'zod'
import type { FieldError } from './problem.ts'

/** More says nothing more, and an answer must not outgrow its question. */
const mostErrors = 50
const longestPath = 200

/** Whether `value` is what the schema says, and everything that is wrong with it, in words of our own. */
export function examine<Schema extends z.ZodType>(schema: Schema, value: unknown): { data: z.output<Schema> } | { errors: FieldError[] } {
  const parsed = schema.safeParse(value, { error: sentence })
  return parsed.success ? { data: parsed.data } : { errors: parsed.error.issues.flatMap(explain).slice(0, mostErrors) }
}

function explain(issue: z.core.$ZodIssue): FieldError[] {
  const at = issue.path.join('.').slice(0, longestPath)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: (at ? `${at}.${key}` : key).slice(0, longestPath),
      message: 'There is no such field. Leave it out.',
    }))
  return [{ path: at, message: issue.message }]
}

/** What a schema says that has no words of its own for it. */
function sentence(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) return 'It is missing.'
  switch (issue.code) {
    case 'invalid_type':
      return `Must be ${types[issue.expected] ?? 'of another type'}.`
    case 'invalid_value':
      return `Must be one of ${issue.values.join(', ')}.`
    case 'too_small':
      return issue.minimum === 1 && issue.origin in units ? 'Must not be empty.' : `Must ${bound('at least', issue.minimum, issue.origin)}.`
    case 'too_big':
      return `Must ${bound('at most', issue.maximum, issue.origin)}.`
    case 'invalid_format':
      return 'Is not written as it has to be.'
    default:
      return 'Is not valid.'
  }
}

const bound = (which: string, number: number | bigint, origin: string) =>
  units[origin] ? `have ${which} ${number} ${units[origin]}` : `be ${which} ${number}`

const units: Record<string, string> = { string: 'characters', array: 'items' }

const types: Record<string, string> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
