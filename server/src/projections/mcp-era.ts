import type { IncomingHttpHeaders } from 'node:http'
import { codes, headerOf, isRecord, type Message, type RpcError, rpcError } from './mcp-rpc.ts'

/** Modern: no handshake, every request says what it speaks. Legacy: everything before. */
export type Era = 'modern' | 'legacy'

export const modernVersion = '2026-07-28'
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
export const latestLegacyVersion = legacyVersions[0]
/** The only version in which one POST may carry several messages; also what no header means. */
const batchVersion = '2025-03-26'

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const isModern = (version: string) => /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= modernVersion

/** Which protocol this message speaks, or why it is refused. The body decides; the headers must agree with it. */
export function eraOf(message: Message, headers: IncomingHttpHeaders): Era | RpcError {
  const version = headerOf(headers, 'mcp-protocol-version')
  if (versionKey in message.meta) return checkModern(message, version, headers) ?? 'modern'
  if (version !== undefined && isModern(version)) return checkModern(message, version, headers) ?? 'modern'
  return checkLegacy(message, version) ?? 'legacy'
}

/** May one POST with these headers carry several messages? */
export function mayBatch(headers: IncomingHttpHeaders): boolean {
  const version = headerOf(headers, 'mcp-protocol-version')
  return version === undefined || version === batchVersion
}

function checkLegacy({ method }: Message, version: string | undefined): RpcError | undefined {
  if (version === undefined || method === 'initialize' || legacyVersions.some((known) => known === version)) return undefined
  return unsupported(version)
}

function checkModern({ method, params, meta }: Message, header: string | undefined, headers: IncomingHttpHeaders): RpcError | undefined {
  const version = meta[versionKey]
  if (typeof version !== 'string') return missing(versionKey, `a protocol version, "${modernVersion}"`)
  if (!isRecord(meta[capabilitiesKey])) return missing(capabilitiesKey, 'an object, {} if there are none')
  if (header !== version) return mismatch('MCP-Protocol-Version', header, version)
  if (version !== modernVersion) return unsupported(version)
  return checkMirrored('Mcp-Method', headerOf(headers, 'mcp-method'), method) ?? checkName(method, params, headers)
}

function checkName(method: string, params: Message['params'], headers: IncomingHttpHeaders): RpcError | undefined {
  const { name } = params
  return method === 'tools/call' && typeof name === 'string' ? checkMirrored('Mcp-Name', headerOf(headers, 'mcp-name'), name) : undefined
}

function checkMirrored(header: string, value: string | undefined, expected: string): RpcError | undefined {
  return value !== undefined && decode(value) === expected ? undefined : mismatch(header, value, expected)
}

/** `=?base64?…?=` carries what a header cannot; a damaged one decodes to undefined. */
function decode(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined
}

const missing = (key: string, what: string) =>
  rpcError(400, codes.params, `params._meta["${key}"] is missing. Send it with every request of protocol ${modernVersion}: ${what}.`)

const mismatch = (header: string, value: string | undefined, expected: string) =>
  rpcError(
    400,
    codes.headers,
    `The header ${header} ${value === undefined ? 'is missing' : 'differs from the body'}. It must repeat the body's ${JSON.stringify(expected.slice(0, 200))}.`,
  )

const unsupported = (requested: string) =>
  rpcError(400, codes.version, 'This protocol version is not spoken here. Use one of data.supported.', {
    supported: [modernVersion, ...legacyVersions],
    requested: requested.slice(0, 100),
  })
