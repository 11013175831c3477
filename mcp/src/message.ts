export type Id = string | number

/** As much of a JSON-RPC message as the bridge looks at. A batch has no method, so it is only carried. */
export interface Message {
  /** Absent: nobody waits for an answer. */
  id: Id | undefined
  /** True where an answer is owed, be it without a readable id. */
  expectsAnswer: boolean
  method: string | undefined
  params: Record<string, unknown>
}

/** Undefined: not JSON. */
export function readLine(line: string): Message | undefined {
  try {
    return messageOf(JSON.parse(line))
  } catch {
    return undefined
  }
}

function messageOf(value: unknown): Message {
  if (!isRecord(value)) return { id: undefined, expectsAnswer: true, method: undefined, params: {} }
  const { id, method, params } = value
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    expectsAnswer: 'id' in value && 'method' in value,
    method: typeof method === 'string' ? method : undefined,
    params: isRecord(params) ? params : {},
  }
}

/** The headers that repeat the body: the current protocol wants three, the older ones the negotiated version. */
export function mirroredHeaders({ method, params }: Message, negotiated: string | undefined): Record<string, string> {
  const { _meta: meta, name, uri } = params
  const claimed = isRecord(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined
  if (typeof claimed !== 'string' || method === undefined)
    return negotiated && method !== 'initialize' ? { 'mcp-protocol-version': negotiated } : {}
  const subject = method === 'tools/call' || method === 'prompts/get' ? name : method === 'resources/read' ? uri : undefined
  return {
    'mcp-protocol-version': encoded(claimed),
    'mcp-method': encoded(method),
    ...(typeof subject === 'string' && { 'mcp-name': encoded(subject) }),
  }
}

/** A header holds visible ASCII without spaces at its ends; anything else travels as base64 and says so. */
function encoded(value: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

export function rpcError(id: Id | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
