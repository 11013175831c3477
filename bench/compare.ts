// What a request costs the service, by turns with a bare node:http server that answers the same bytes.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuOf, median } from '../server/test/cpu.ts'
import { ask } from './ask.ts'
import { stop } from './service.ts'

/** One request, and how often it is sent in a round. With a body it is a POST. */
export interface Ask {
  what: string
  path: string
  headers: Record<string, string>
  body?: string
  perRound: number
}

/** Where client and server run: on a processor each, or both on one, where whoever batches is woken seldom. */
export const placements = { apart: [0, 1], together: [0, 0] } as const
export type Placement = keyof typeof placements

/** CPU of the server for one request, in µs, and how many times that of the bare one: the median of the rounds, each against its own. */
export interface Figure {
  what: string
  placement: Placement
  bytes: number
  ours: number
  bare: number
  ratio: number
}

interface Target {
  url: string
  pid: number
}

/** Short ones: a machine whose speed changes from one second to the next changes it for both of a round. */
const rounds = 60
/** A service lives for weeks; V8 compiles what a call runs for the last time after ten thousand calls or so. */
const warmUps = 48
const connections = 8
/** Of processor time in a second. */
const idleMicroseconds = 30_000

/** Each request in each placement: medians of interleaved rounds, so that a busy moment of the machine hits both. */
export async function compare(service: Target, asks: readonly Ask[]): Promise<Figure[]> {
  const answers = await Promise.all(asks.map((each) => answerOf(service.url, each)))
  const child = fork(fileURLToPath(new URL('bare-server.ts', import.meta.url)))
  const figures: Figure[] = []
  await untilIdle(service.pid)
  try {
    child.send(Object.fromEntries(answers.map((answer, i) => [`/${i}`, answer])))
    const [port] = await once(child, 'message')
    const bare = { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0 }
    for (const placement of Object.keys(placements) as Placement[]) {
      const [client, server] = placements[placement]
      for (const [pid, cpu] of [[process.pid, client], ...[service, bare].map((one) => [one.pid, server])] as [number, number][])
        pin(pid, cpu)
      for (const [i, each] of asks.entries()) {
        const sides = [sideOf(service, each), sideOf(bare, { ...each, path: `/${i}` })] as const
        for (const side of sides) await side.spend(each.perRound * warmUps)
        const [ours, plain]: [number[], number[]] = [[], []]
        for (let round = 0; round < rounds; round++) {
          ours.push(await sides[0].spend(each.perRound))
          plain.push(await sides[1].spend(each.perRound))
        }
        for (const side of sides) side.end()
        const ratio = median(ours.map((spent, round) => spent / (plain[round] ?? Number.NaN)))
        const bytes = Buffer.byteLength(answers[i] ?? '')
        figures.push({ what: each.what, placement, bytes, ours: median(ours), bare: median(plain), ratio })
      }
    }
    return figures
  } finally {
    for (const { pid } of [process, service]) pin(pid)
    await stop(child)
  }
}

/** The first passes of a service's clock over so many new sites are no part of what a request costs. */
async function untilIdle(pid: number): Promise<void> {
  let before = cpuOf(pid)
  for (let second = 0; second < 300; second++) {
    await pause(1000)
    const after = cpuOf(pid)
    if (after - before < idleMicroseconds) return
    before = after
  }
  throw new Error('The service does not come to rest.')
}

/** Keeps a process, all its threads, on one processor, or lets it run on any again (taskset of util-linux). */
function pin(pid: number, cpu?: number): void {
  execFileSync('taskset', ['-a', '-c', '-p', cpu === undefined ? '0-1023' : String(cpu), String(pid)], { stdio: 'ignore' })
}

async function answerOf(url: string, { what, path, headers, body }: Ask): Promise<string> {
  const agent = new Agent()
  const answer = await ask(agent, url + path, headers, body)
  agent.destroy()
  if (answer.status !== 200) throw new Error(`${what} answered ${answer.status}: ${answer.text()}`)
  return answer.text()
}

/** Sends a request over connections that stay open. */
function sideOf({ url, pid }: Target, { what, path, headers, body }: Ask) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const lane = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const { status } = await ask(agent, url + path, headers, body)
      if (status !== 200) throw new Error(`${what} answered ${status}.`)
    }
  }
  return {
    /** CPU µs of the server per request, over one round of so many. */
    async spend(perRound: number): Promise<number> {
      const before = cpuOf(pid)
      await Promise.all(Array.from({ length: connections }, () => lane(perRound / connections)))
      return (cpuOf(pid) - before) / perRound
    },
    end: () => agent.destroy(),
  }
}
