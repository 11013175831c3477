import type { JsonSchema } from './manifest.ts'
import { codes, isRecord, type Message, type RpcError, rpcError } from './mcp-rpc.ts'

/** A tool the conformance suite asks for by name. Registered only with SERVICE_TEST_FIXTURES=1. */
export interface Fixture {
  tool: { name: string; description: string; inputSchema: JsonSchema }
  call(message: Message): Record<string, unknown> | RpcError
}

export type Fixtures = ReadonlyMap<string, Fixture>

/** One red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** A wave file of no length. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const text = (words: string) => ({ type: 'text', text: words })
const image = { type: 'image', data: png, mimeType: 'image/png' }
const audio = { type: 'audio', data: wav, mimeType: 'audio/wav' }
const resource = (uri: string, mimeType: string, words: string) => ({ type: 'resource', resource: { uri, mimeType, text: words } })

export const fixtures: Fixtures = new Map(
  [
    says('test_simple_text', text('This is a simple text response for testing.')),
    says('test_image_content', image),
    says('test_audio_content', audio),
    says('test_embedded_resource', resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
    says(
      'test_multiple_content_types',
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
    fixture('test_error_handling', () => ({ content: [text('This tool intentionally returns an error for testing')], isError: true })),
    says('test_logging_tool', text('Nothing was logged.')),
    says('test_streaming_elicitation', text('Nothing was asked.')),
    fixture('test_missing_capability', needsSampling),
  ].map((each) => [each.tool.name, each]),
)

function fixture(name: string, call: Fixture['call']): Fixture {
  return {
    tool: {
      name,
      description: 'For the conformance suite only.',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    },
    call,
  }
}

function says(name: string, ...content: object[]): Fixture {
  return fixture(name, () => ({ content }))
}

function needsSampling({ meta }: Message): Record<string, unknown> | RpcError {
  const capabilities = meta['io.modelcontextprotocol/clientCapabilities']
  if (isRecord(capabilities) && 'sampling' in capabilities) return { content: [text('You can sample.')] }
  return rpcError(400, codes.capability, 'This tool needs a client that can sample.', { requiredCapabilities: { sampling: {} } })
}
