// Stands between a client and PostgreSQL as a pooler does that lends connections for single transactions: LISTEN is taken, and nothing is heard.
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

export interface DeafPooler {
  socketDir: string
  /** While it is true, no notification is passed on. */
  deaf: boolean
  close(): Promise<void>
}

const NOTIFICATION = 'A'.charCodeAt(0)
const socketName = '.s.PGSQL.5432'

export async function startDeafPooler(upstream: string): Promise<DeafPooler> {
  const socketDir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-deaf-'))
  const pooler = { socketDir, deaf: true, close }
  const open = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const behind = net.connect(path.join(upstream, socketName))
    for (const [one, other] of [[client, behind] as const, [behind, client] as const]) {
      open.add(one)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
    client.pipe(behind)
    let waiting = Buffer.alloc(0)
    behind.on('data', (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes])
      // Each message: one byte for its kind, four for its length, which counts itself.
      for (let end = 0; waiting.length >= 5; waiting = waiting.subarray(end)) {
        end = 1 + waiting.readUInt32BE(1)
        if (waiting.length < end) return
        if (!pooler.deaf || waiting[0] !== NOTIFICATION) client.write(waiting.subarray(0, end))
      }
    })
  })
  server.listen(path.join(socketDir, socketName))
  await once(server, 'listening')
  async function close() {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
    fs.rmSync(socketDir, { recursive: true, force: true })
  }
  return pooler
}
