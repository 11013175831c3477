import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import fastify from 'fastify'
import { listen } from './listen.ts'

test('a port that somebody has is refused with the setting, and so is an address of another machine', async () => {
  const other = net.createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as net.AddressInfo
  await assert.rejects(listen(fastify(), { host: '127.0.0.1', port }), {
    name: 'Refusal',
    message: `Another program listens on 127.0.0.1, port ${port}. Stop it, or set SERVICE_PORT to another port.`,
  })
  await assert.rejects(listen(fastify(), { host: '203.0.113.7', port: 0 }), { name: 'Refusal', message: /^203\.0\.113\.7 .*SERVICE_HOST/ })
  const server = fastify()
  await listen(server, { host: '127.0.0.1', port: 0 })
  await server.close()
  other.close()
})
