import type { IncomingHttpHeaders } from 'node:http'

/** JSON-RPC's and MCP's numbers for what went wrong before a tool was reached. */
export const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  refused: -32000,
  headers: -32020,
  capability: -32021,
  version: -32022,
} as const

export interface Message {
  id: string | number | undefined
  method: string
  params: Record<string, unknown>
  meta: Record<string, unknown>
  /** Names that stand beside these. */
  others: string[]
}

/** A failure of the protocol itself; what a tool could not do is a result. */
export interface RpcError {
  status: number
  code: number
  message: string
  data?: unknown
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Pieces | undefined
}

/** Bytes that are sent often, with what stands around them: nobody copies them. */
export type Pieces = readonly [before: string, bytes: Buffer, after: string]

export const rpcError = (status: number, code: number, message: string, data?: unknown): RpcError => ({
  status,
  code,
  message,
  ...(data !== undefined && { data }),
})

/** The whole response to one message that failed. `id` is null where it could not be read. */
export function errorAnswer({ status, code, message, data }: RpcError, id: Message['id'] | null = null, headers = {}): Answer {
  return json(
    status,
    JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data !== undefined && { data }) } }),
    headers,
  )
}

/** `result` is JSON already. */
export function resultAnswer(id: Message['id'], result: string | Pieces): Answer {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
  if (typeof result === 'string') return json(200, `${head}${result}}`)
  const [before, bytes, after] = result
  return json(200, [head + before, bytes, `${after}}`])
}

/** Everything that an answer says. */
export const textOf = ({ body = '' }: Answer): string => (typeof body === 'string' ? body : body.join(''))

/** `bodies` are JSON already. */
export const batchAnswer = (bodies: readonly string[]): Answer => json(200, `[${bodies.join(',')}]`)

/** Notifications, and answers to questions we never ask, are taken and need no reply. */
export const accepted: Answer = { status: 202, headers: { 'content-length': '0' }, body: undefined }

function json(status: number, body: string | Pieces, headers: Record<string, string> = {}): Answer {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
  return { status, headers: { 'content-type': 'application/json', 'content-length': String(length), ...headers }, body }
}

/** Reads one element of the body; undefined: it needs no answer. */
export function readMessage(value: unknown): Message | RpcError | undefined {
  if (!isRecord(value) || value.jsonrpc !== '2.0')
    return rpcError(400, codes.request, 'This is not a JSON-RPC 2.0 message: send {"jsonrpc":"2.0","id":1,"method":"tools/list"}.')
  const { jsonrpc: _, id, method, params = {}, ...others } = value
  if (method === undefined && ('result' in value || 'error' in value)) return undefined
  if (typeof method !== 'string') return rpcError(400, codes.request, '"method" must be a string, for example "tools/list".')
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number')
    return rpcError(400, codes.request, '"id" must be a string or a number.')
  if (!isRecord(params)) return rpcError(400, codes.params, '"params" must be an object.')
  return { id, method, params, meta: isRecord(params._meta) ? params._meta : {}, others: Object.keys(others) }
}

/** The id of a message that is none in another way. */
export const idOf = (value: unknown): Message['id'] => {
  const { id } = isRecord(value) ? value : {}
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

export const isRpcError = (value: unknown): value is RpcError =>
  typeof value === 'object' && value !== null && 'code' in value && 'status' in value

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}
