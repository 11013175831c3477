import type { IncomingHttpHeaders } from 'node:http'
import type { FieldError } from '../kernel/problem.ts'
import type { Message } from './mcp-rpc.ts'
import type { Served } from './mcp-tool-call.ts'

/** What the protocol lets stand beside the arguments of a call. */
const known = ['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState']

/** What came with a call but not in its arguments, where it would be passed over. Metadata of clients may have any other name. */
export function misplaced({ fields, inHeaders }: Served, message: Message, headers: IncomingHttpHeaders): FieldError[] {
  const beside = [...message.others, ...Object.keys(message.params).filter((name) => !known.includes(name))]
  const names = [...new Set([...beside, ...Object.keys(message.meta).filter((name) => fields.includes(name))])]
  const told = (name: string) => (fields.includes(name) ? 'It goes into arguments.' : 'Nothing of this name goes beside arguments.')
  return [...names.map((path) => ({ path, message: told(path) })), ...inHeaders(headers)]
}
