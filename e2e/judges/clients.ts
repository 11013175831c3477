import { fileURLToPath } from 'node:url'

/** The stdio package, as it is packed. */
export const bridge = fileURLToPath(new URL('../../mcp/dist/main.js', import.meta.url))

export interface Result {
  isError?: boolean
  structuredContent?: Record<string, unknown>
  content: { type: string; text?: string }[]
}

/** As much as all official clients have in common. */
export interface Client {
  connect(transport: unknown): Promise<void>
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Result>
  close(): Promise<void>
}

interface Kit {
  Client: new (info: object, options: object) => Client
  StreamableHTTPClientTransport: new (url: URL, options: object) => unknown
  StdioClientTransport: new (options: object) => unknown
}

interface Official {
  name: string
  options?: object
  load(): Promise<Kit>
}

const older = (name: string): Official => ({
  name,
  load: async () => ({
    ...(await import(`${name}/client/index.js`)),
    ...(await import(`${name}/client/streamableHttp.js`)),
    ...(await import(`${name}/client/stdio.js`)),
  }),
})

const newest = (name: string, mode: unknown): Official => ({
  name,
  options: { versionNegotiation: { mode } },
  load: async () => {
    const modules = ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio']
    const [root, stdio] = await Promise.all(modules.map((each) => import(each)))
    return { ...root, ...stdio }
  },
})

/** Each official client, the newest in each of its moods. */
export const officials: Official[] = [
  older('sdk-1-10'),
  older('sdk-1-13'),
  older('sdk-1-32'),
  newest('client 2.4, legacy', 'legacy'),
  newest('client 2.4, auto', 'auto'),
  newest('client 2.4, modern', { pin: '2026-07-28' }),
]

/** Connects to the hosted server. */
export async function overHttp({ load, options }: Official, url: string, token: string): Promise<Client> {
  const { Client, StreamableHTTPClientTransport } = await load()
  const client = new Client({ name: 'judge', version: '1.0.0' }, { capabilities: {}, ...options })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
  )
  return client
}

/** Starts the stdio package and connects to it. */
export async function overStdio({ load, options }: Official, url: string, token: string): Promise<Client> {
  const { Client, StdioClientTransport } = await load()
  const client = new Client({ name: 'judge', version: '1.0.0' }, { capabilities: {}, ...options })
  const env = { PATH: process.env.PATH, SERVICE_URL: url, SERVICE_TOKEN: token }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bridge], env }))
  return client
}
