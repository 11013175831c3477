import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The least a Node server can do: read a body, answer bytes that are ready. Path → answer comes over IPC. */
process.once('message', (answers: Record<string, string>) => {
  const ready = new Map(Object.entries(answers).map(([path, text]) => [path, Buffer.from(text)]))
  const server = createServer((request, reply) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const bytes = ready.get(request.url ?? '') ?? Buffer.concat(parts)
      reply.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
      reply.end(bytes)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.send?.(port)
  })
})
