import { type AnyOperation, isRead } from '../kernel/operation.ts'
import type { JsonSchema } from './manifest.ts'
import { inputSchema, outputDetails, outputSchema } from './mcp-schema.ts'

/** A tool as `tools/list` shows it. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema: JsonSchema
  annotations: {
    title: string
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

/** Characters of our JSON to a token: two public vocabularies made 4.0 to 4.3 of it. */
const charactersPerToken = 4

/** Up to here, in tokens, a tool's output schema is told in full; what has more to tell is cut down to this, and at worst to `most`. */
const comfortable = 220
const most = 280

const known = new WeakMap<AnyOperation, Tool>()

/** The operations that are tools, as `tools/list` shows them. Each is described once, in 15 ms: nobody changes what they are given. */
export function tools(operations: readonly AnyOperation[]): Tool[] {
  return toolOperations(operations).map((operation) => {
    const tool = known.get(operation) ?? toolOf(operation, operation.tool ?? operation.name)
    known.set(operation, tool)
    return tool
  })
}

/** The operations that are tools. */
export function toolOperations(operations: readonly AnyOperation[]): AnyOperation[] {
  return operations.filter(({ tool }) => tool !== undefined)
}

/** What a piece of JSON costs a model that reads it. */
export const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / charactersPerToken)

function toolOf(operation: AnyOperation, name: string): Tool {
  const { title, summary, guidance } = operation
  const tool = {
    name,
    title,
    description: guidance ? `${summary} ${guidance}` : summary,
    inputSchema: inputSchema(operation),
    annotations: {
      title,
      readOnlyHint: isRead(operation),
      destructiveHint: operation.effect === 'destroy',
      idempotentHint: isRead(operation) || operation.idempotent === true,
      // What comes back was written on sites we do not control.
      openWorldHint: true,
    },
  }
  const [shortest, ...longer] = outputDetails.map((detail) => ({ ...tool, outputSchema: outputSchema(operation, detail) })).reverse()
  const fitting = longer.findLast((each) => tokens(each) <= comfortable) ?? longer.find((each) => tokens(each) <= most) ?? shortest
  if (!fitting) throw new Error('There is no output detail to choose from.')
  return fitting
}
