import type { IncomingHttpHeaders } from 'node:http'
import type { FieldError } from '../kernel/problem.ts'
import type { Message } from './mcp-rpc.ts'
import type { Served } from './mcp-tool-call.ts'

/** What the protocol lets stand beside the arguments of a call. */
const known = ['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState']

/** What came with a call but not in its arguments, where it would be passed over. Metadata of clients may have any other name. */
export function misplaced({ fields, inHeaders }: Served, message: Message, headers: IncomingHttpHeaders): FieldError[] {
  const beside = message.others.slice()
  for (const name in message.params) if (!known.includes(name)) beside.push(name)
  for (const name in message.meta) if (fields.includes(name)) beside.push(name)
  const there = inHeaders(headers)
  if (beside.length === 0) return there
  const messageFor = (name: string) => (fields.includes(name) ? 'It goes into arguments.' : 'Nothing of this name goes beside arguments.')
  return [...Array.from(new Set(beside), (path) => ({ path, message: messageFor(path) })), ...there]
}
