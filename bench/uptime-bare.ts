// The least a loop of checks can do: undici asks each address over a connection of its own, so many in a second, and reads what comes;
// every fifth time it also sends a request about as long as what WordPress itself is asked, over the same connection, and neither signs nor verifies.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'

const batchMs = 500
const wordPressEvery = 5
const message = {
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/json', signature: 'x'.repeat(600) },
  body: '{}',
} as const

process.once('message', async ({ urls, perSecond, seconds }: { urls: string[]; perSecond: number; seconds: number }) => {
  const before = process.cpuUsage()
  let [next, failed] = [0, 0]
  const ask = async (url: string, wordPressToo: boolean) => {
    const client = new Client(url)
    try {
      const { body } = await client.request({ method: 'GET', path: '/' })
      await body.arrayBuffer()
      if (wordPressToo) await (await client.request(message)).body.arrayBuffer()
    } catch {
      failed++
    }
    await client.close()
  }
  const asked: Promise<void>[] = []
  for (let batch = 0; batch < (seconds * 1000) / batchMs; batch++) {
    for (let n = 0; n < (perSecond * batchMs) / 1000; n++) asked.push(ask(urls[next++ % urls.length] ?? '', next % wordPressEvery === 0))
    await sleep(batchMs)
  }
  await Promise.all(asked)
  const { user, system } = process.cpuUsage(before)
  process.send?.({ cpu: (user + system) / 1e6, requests: next - failed })
})
