import type { Tool } from '../src/projections/mcp-tools.ts'
import type { TestWorld } from './world.ts'

export interface ToolResult {
  isError: boolean
  content: { type: string; text: string }[]
  structuredContent?: Record<string, unknown>
}

export interface Agent {
  tools(): Promise<Tool[]>
  call(name: string, given?: object): Promise<ToolResult>
}

/** An agent of a running service, which speaks the older protocol. */
export function agentOf({ url }: Pick<TestWorld, 'url'>, token: string): Agent {
  const ask = async (method: string, params: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error) throw new Error(error.message)
    return result
  }
  return {
    tools: async () => ((await ask('tools/list', {})) as { tools: Tool[] }).tools,
    call: async (name, given = {}) => (await ask('tools/call', { name, arguments: given })) as ToolResult,
  }
}
