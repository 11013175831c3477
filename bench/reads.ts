import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import { cpuOf, median } from '../server/test/cpu.ts'
import { ask } from './ask.ts'
import type { Figure } from './mcp.ts'
import { type Running, stop } from './service.ts'

/** One read, how often it is asked in a round, and whose token asks. */
export interface Read {
  what: string
  path: string
  token: string
  perRound: number
}

interface Target {
  url: string
  pid: number
}

const rounds = 5
const connections = 8

/** CPU of the service per read, by turns with a bare server that answers the same bytes. */
export async function measureReads(service: Running, reads: readonly Read[]): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [i, read] of reads.entries()) figures.push(await measure(service, read, `/${i}`))
  return figures
}

async function measure(service: Running, read: Read, plainPath: string): Promise<Figure> {
  const answer = await fetch(service.url + read.path, { headers: { authorization: `Bearer ${read.token}` } })
  if (!answer.ok) throw new Error(`${read.path} answered ${answer.status}.`)
  const body = await answer.text()
  const child = fork(fileURLToPath(new URL('bare-server.ts', import.meta.url)))
  try {
    child.send({ [plainPath]: body })
    const [port] = await once(child, 'message')
    const bare = { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0 }
    return { what: read.what, bytes: Buffer.byteLength(body), ...(await compare(service, bare, read, plainPath)) }
  } finally {
    await stop(child)
  }
}

async function compare(service: Target, bare: Target, read: Read, plainPath: string) {
  const plain = { ...read, path: plainPath }
  const [ours, theirs]: [number[], number[]] = [[], []]
  await spend(service, read)
  await spend(bare, plain)
  for (let round = 0; round < rounds; round++) {
    ours.push(await spend(service, read))
    theirs.push(await spend(bare, plain))
  }
  return { ours: median(ours), bare: median(theirs), ratio: median(ours) / median(theirs) }
}

/** CPU µs per request, over one round. */
async function spend({ url, pid }: Target, { path, token, perRound }: Read): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { authorization: `Bearer ${token}` }
  const lane = async () => {
    for (let i = 0; i < perRound / connections; i++) {
      const { status } = await ask(agent, url + path, headers)
      if (status !== 200) throw new Error(`${path} answered ${status}.`)
    }
  }
  const before = cpuOf(pid)
  await Promise.all(Array.from({ length: connections }, lane))
  const after = cpuOf(pid)
  agent.destroy()
  return (after - before) / perRound
}
