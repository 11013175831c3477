import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { cpuOf, median } from '../server/test/cpu.ts'

/** A running server whose CPU can be asked for. */
export interface Measured {
  /** Its base address. */
  url: string
  cpu(): Promise<NodeJS.CpuUsage>
}

/** CPU of the server for one request, in µs, and how many times that of a bare server sending the same bytes. */
export interface Figure {
  what: string
  bytes: number
  ours: number
  bare: number
  ratio: number
}

interface Ask {
  what: string
  path: string
  headers: OutgoingHttpHeaders
  body: string
}

const rounds = 5
const perRound = 2000
const connections = 8

/** Measures `tools/list` and one `tools/call`, by turns with a bare server that answers the same bytes. */
export async function measureMcp(ours: Measured, token: string, call: { name: string; arguments: object }): Promise<Figure[]> {
  const asks = [ask('tools/list', token), ask('tools/call', token, call)]
  const answers = await Promise.all(asks.map((each) => post(ours.url, each, new Agent())))
  const bare = await startBare(Object.fromEntries(asks.map(({ what }, i) => [`/${what}`, answers[i] ?? ''])))
  try {
    const figures: Figure[] = []
    for (const [i, each] of asks.entries()) figures.push(await compare(ours, bare, each, Buffer.byteLength(answers[i] ?? '')))
    return figures
  } finally {
    bare.stop()
  }
}

function ask(what: string, token: string, params?: object): Ask {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: what, ...(params && { params }) })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return { what, path: '/api/mcp', headers, body }
}

/** Medians of interleaved rounds, so that a busy moment of the machine hits both. */
async function compare(ours: Measured, bare: Measured, each: Ask, bytes: number): Promise<Figure> {
  const plain = { ...each, path: `/${each.what}` }
  const [a, b]: [number[], number[]] = [[], []]
  await spend(ours, each)
  await spend(bare, plain)
  for (let round = 0; round < rounds; round++) {
    a.push(await spend(ours, each))
    b.push(await spend(bare, plain))
  }
  return { what: each.what, bytes, ours: median(a), bare: median(b), ratio: median(a) / median(b) }
}

/** CPU µs of the server per request, over one round. */
async function spend(server: Measured, each: Ask): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const before = await server.cpu()
  const lane = async () => {
    for (let i = 0; i < perRound / connections; i++) await post(server.url, each, agent)
  }
  await Promise.all(Array.from({ length: connections }, lane))
  const after = await server.cpu()
  agent.destroy()
  return (after.user + after.system - before.user - before.system) / perRound
}

function post(url: string, { path, headers, body }: Ask, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method: 'POST', headers, agent }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('end', () => {
        if (reply.statusCode === 200) resolve(Buffer.concat(parts).toString())
        else reject(new Error(`${path} answered ${reply.statusCode}: ${Buffer.concat(parts)}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function startBare(answers: Record<string, string>): Promise<Measured & { stop(): void }> {
  const child = fork(fileURLToPath(new URL('bare-server.ts', import.meta.url)))
  child.send(answers)
  const [port] = await once(child, 'message')
  return { url: `http://127.0.0.1:${port}`, cpu: async () => ({ user: cpuOf(child.pid ?? 0), system: 0 }), stop: () => void child.kill() }
}
