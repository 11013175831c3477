import { z } from 'zod'
import { type AnyOperation, rowsOf } from './operation.ts'

const made = new WeakMap<readonly string[], z.ZodType>()

/** The output of an operation with these fields of its items or rows alone; its handler may leave out the others. Each list of fields belongs to one operation. */
export function outputWith(operation: AnyOperation, fields: readonly string[]): z.ZodType {
  const known = made.get(fields)
  if (known) return known
  const output = narrowed(operation, fields)
  made.set(fields, output)
  return output
}

function narrowed({ output, ...operation }: AnyOperation, fields: readonly string[]): z.ZodType {
  const rows = rowsOf(operation)
  if (rows === undefined || !(output instanceof z.ZodObject)) return output
  const list: unknown = output.shape[rows]
  if (!(list instanceof z.ZodArray) || !(list.element instanceof z.ZodObject)) return output
  const item = Object.entries(list.element.shape).filter(([name]) => fields.includes(name))
  return z.object({ ...output.shape, [rows]: z.array(z.object(Object.fromEntries(item))) })
}
