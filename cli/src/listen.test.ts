import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contract } from '../test/contract.ts'
import { fakeService } from '../test/installed.ts'
import { listen } from './listen.ts'
import type { Session } from './request.ts'
import type { Terminal } from './terminal.ts'

test('a stream that breaks off, and a service that is away for a while, are asked again from the last event on', async (t) => {
  // Only pauses are counted: nothing here waits for a clock.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const asked: (string | undefined)[] = []
  const over = new AbortController()
  const event = (id: string) => `id: ${id}\nevent: job\ndata: {"kind":"job","id":"job_${id}","site_id":null}\n\n`
  await using service = await fakeService(({ headers }, response) => {
    asked.push(headers['last-event-id'] as string | undefined)
    const broken = asked.length > 1 && asked.length <= 5
    if (broken) return void response.destroy()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event(String(asked.length)))
    if (asked.length === 1) setImmediate(() => response.destroy())
  })
  const said: string[] = []
  const here = { out: (line: string) => void said.push(line), now: () => new Date(0) } as unknown as Terminal
  const session = { service: { base: `${service.url}/api/v1`, token: 'svc_x' }, manifest: contract, timeout: 30, signal: over.signal }
  const url = new URL(`${service.url}/api/v1/events`)
  const prepared = { method: 'GET', url, body: undefined, command: 'svc watch', key: undefined, isFile: false }
  const listening = listen(session as unknown as Session, here, prepared, false)
  const ended = assert.rejects(listening, { name: 'AbortError' })
  while (said.length < 2) {
    await new Promise<void>((next) => setImmediate(next))
    t.mock.timers.tick(100)
  }
  over.abort()
  await ended
  assert.deepEqual(said, ['00:00:00 job job_1', '00:00:00 job job_6'])
  assert.deepEqual(asked, [undefined, '1', '1', '1', '1', '1'])
})
