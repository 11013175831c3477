import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from './contract.ts'

const token = `svc_${'a'.repeat(38)}`

/** What the command line sent. */
export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export type Answer = (request: Seen, response: ServerResponse) => void

/** A service that answers as the test says, on a free port. */
export async function fakeService(answer: Answer): Promise<{ url: string; seen: Seen[] } & AsyncDisposable> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() }
    seen.push(one)
    answer(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** The program as it is after `npm pack`: its files and a contract in one folder, far from the repository. */
export function install() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const sources = join(import.meta.dirname, '../src')
  for (const name of readdirSync(sources).filter((name) => !name.endsWith('.test.ts')))
    cpSync(join(sources, name), join(folder, 'dist', name))
  cpSync(join(sources, '../package.json'), join(folder, 'package.json'))
  writeFileSync(join(folder, 'dist/operations.json'), JSON.stringify(contract))
  return {
    folder,
    start: (argv: string[], env: NodeJS.ProcessEnv) => start(folder, argv, env),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

export interface Ended {
  code: number | null
  out: string
  err: string
}

function start(folder: string, argv: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [join(folder, 'dist/main.ts'), ...argv], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SERVICE_TOKEN: token,
      SVC_TAB_SECONDS: '60',
      ...env,
    },
  })
  const heard = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (heard.out += chunk))
  child.stderr.on('data', (chunk) => (heard.err += chunk))
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...heard })))
  return { child, heard, ended }
}
