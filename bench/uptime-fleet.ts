// Every fake site of bench/uptime.ts: one server on all addresses of this machine, with a page of 20 KB.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const page = Buffer.from(`<!doctype html><title>Garden</title>${'<p>Flowers</p>'.repeat(1400)}`)
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': page.length })
  response.end(page)
})
server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () => process.send?.((server.address() as AddressInfo).port))
