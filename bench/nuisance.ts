// A process of its own, so that what is measured is not its client: asks too much until it is told to stop, then tells what it met.
import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { ask } from './ask.ts'

/** What to do: so many calls at a time, each asked again as soon as it was answered; or connections that never end their request. */
export type Task = Calls | { url: string; drip: number }
interface Calls {
  calls: string[]
  token: string
  /** Makes it a POST. */
  body: string | undefined
  /** Any other status ends the benchmark: then it would measure something else. */
  expected: number[]
}

const [task] = (await once(process, 'message')) as [Task]
const end = 'calls' in task ? keepAsking(task) : await drip(task)
process.send?.('begun')
await once(process, 'message')
process.send?.(await end())
process.disconnect()

function keepAsking({ calls, token, body, expected }: Calls): () => Promise<string> {
  const agent = new Agent({ keepAlive: true })
  const counts = new Map<number, number>()
  let going = true
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const lanes = calls.map(async (url) => {
    while (going) {
      const { status, text } = await ask(agent, url, headers, body).catch((error: Error) => ({ status: 0, text: () => error.message }))
      if (!going) return
      if (!expected.includes(status)) throw new Error(`${url} was answered with ${status}: ${text()}`)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  })
  return async () => {
    going = false
    agent.destroy()
    await Promise.all(lanes)
    return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ') || 'no answer'
  }
}

async function drip({ url, drip: most }: { url: string; drip: number }): Promise<() => Promise<string>> {
  const { hostname, port } = new URL(url)
  const open = async (n: number): Promise<Socket> => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(n % 2 ? 'GET /healthz HTTP/1.1\r\nHost: s' : 'POST /setup HTTP/1.1\r\nHost: s\r\nContent-Length: 1000\r\n\r\n')
    return socket
  }
  const clients = await Promise.all(Array.from({ length: most }, (_, n) => open(n)))
  let opened = most
  const dripping = setInterval(async () => {
    for (const [n, socket] of clients.entries())
      if (socket.destroyed) {
        clients[n] = await open(n)
        opened++
      } else socket.write('x')
  }, 1000)
  return async () => {
    clearInterval(dripping)
    for (const socket of clients) socket.destroy()
    return `${opened} connections`
  }
}
