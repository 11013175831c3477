// An agent's end of the tool server: the hosted one over HTTP, and the stdio package as a child process.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ToolResult<Content> {
  isError: boolean
  content: { type: string; text: string }[]
  structuredContent: Content
}

export interface Agent {
  call<Content>(tool: string, args?: object): Promise<ToolResult<Content>>
  close(): Promise<void>
}

interface Reply {
  id: number
  result?: unknown
  error?: { message: string }
}

const request = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
const callOf = (id: number, name: string, args: object) => request(id, 'tools/call', { name, arguments: args })

/** The hosted tool server: one POST for each call. */
export function hostedAgent(url: string, token: string): Agent {
  let last = 0
  return {
    async call<Content>(tool: string, args = {}) {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      const answer = await fetch(`${url}/api/mcp`, { method: 'POST', headers, body: callOf(++last, tool, args) })
      if (answer.status !== 200) throw new Error(`The tool server answered ${answer.status}: ${await answer.text()}`)
      return resultOf<Content>((await answer.json()) as Reply)
    },
    close: async () => undefined,
  }
}

/** The packed `service-mcp`, started the way an agent's host starts it and greeted once. */
export async function stdioAgent(url: string, token: string): Promise<Agent> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../mcp/dist/main.js')], {
    env: { PATH: process.env.PATH, SERVICE_URL: url, SERVICE_TOKEN: token },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const waiting = new Map<number, (reply: Reply) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply
    waiting.get(reply.id)?.(reply)
  })
  let last = 0
  const exchange = (makeLine: (id: number) => string) =>
    new Promise<Reply>((resolve) => {
      waiting.set(++last, resolve)
      child.stdin.write(`${makeLine(last)}\n`)
    })
  const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'story', version: '1.0.0' } }
  resultOf(await exchange((id) => request(id, 'initialize', greeting)))
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return {
    call: async <Content>(tool: string, args = {}) => resultOf<Content>(await exchange((id) => callOf(id, tool, args))),
    async close() {
      child.stdin.end()
      await exited
    },
  }
}

function resultOf<Content>({ result, error }: Reply): ToolResult<Content> {
  if (error) throw new Error(error.message)
  return result as ToolResult<Content>
}
