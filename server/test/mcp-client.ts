import assert from 'node:assert/strict'
import type { Caller } from '../src/kernel/context.ts'
import type { AnyOperation } from '../src/kernel/operation.ts'
import { mcp } from '../src/projections/mcp.ts'
import { modernVersion } from '../src/projections/mcp-era.ts'
import { fixtures } from '../src/projections/mcp-fixtures.ts'
import { textOf } from '../src/projections/mcp-rpc.ts'
import { house, kernel, reader } from './mcp-house.ts'

export interface Reply {
  status: number
  text: string | undefined
  json: ReturnType<typeof JSON.parse>
}

export const meta = { 'io.modelcontextprotocol/protocolVersion': modernVersion, 'io.modelcontextprotocol/clientCapabilities': {} }

/** One POST, past the door. */
export async function send(
  body: unknown,
  headers: Record<string, string> = {},
  {
    caller = reader,
    done = [],
    logged = [],
    operations = house(done),
  }: { caller?: Caller; done?: string[]; logged?: object[]; operations?: AnyOperation[] } = {},
): Promise<Reply> {
  const answer = mcp(operations, { version: '1.2.3', fixtures })
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const reply = await answer(kernel(logged), { caller, headers, body: bytes, requestId: 'req_1' })
  const text = reply.body && textOf(reply)
  assert.equal(reply.headers['content-length'], String(Buffer.byteLength(text ?? '')))
  return { status: reply.status, text, json: text && JSON.parse(text) }
}

export const legacy = (method: string, params?: object, headers = {}, rest = {}) =>
  send({ jsonrpc: '2.0', id: 1, method, params }, headers, rest)

export const modern = (method: string, params: { name?: string; [key: string]: unknown } = {}, headers = {}, rest = {}) =>
  send(
    { jsonrpc: '2.0', id: 'q', method, params: { _meta: meta, ...params } },
    { 'mcp-protocol-version': modernVersion, 'mcp-method': method, ...(params.name && { 'mcp-name': params.name }), ...headers },
    rest,
  )

export const failed = ({ json }: Reply) => {
  assert.equal(json.result.isError, true)
  assert.equal(json.result.structuredContent, undefined)
  return JSON.parse(json.result.content[0].text)
}
