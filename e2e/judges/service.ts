import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A service to be judged. */
export interface Service {
  /** Its base address. */
  url: string
  readToken: string
  writeToken: string
  stop(): Promise<void>
}

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
const run = promisify(execFile)

/** Starts a whole service with an empty database in a temporary folder and the conformance suite's tools. */
export async function startService(): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'judges-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { ...process.env, SERVICE_PORT: String(port), SERVICE_DATA_DIR: join(folder, 'data'), SERVICE_TEST_FIXTURES: '1' }
  const service = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = async () => {
    await end(service)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await answers(`${url}/readyz`, service)
    const admin = async (...args: string[]) => (await run(process.execPath, [main, 'admin', ...args], { env })).stdout.trim()
    await admin('owner', 'create', '--email', 'judge@example.org', '--workspace', 'Judges')
    const token = (scope: string) => admin('token', 'create', '--workspace', 'Judges', '--name', scope, '--scope', scope)
    return { url, readToken: await token('read'), writeToken: await token('write'), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function answers(url: string, service: ChildProcess): Promise<void> {
  for (let tenths = 0; tenths < 900; tenths++) {
    if (service.exitCode !== null) throw new Error(`The service ended with ${service.exitCode} before it answered.`)
    const ready = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    await sleep(100)
  }
  throw new Error('The service did not answer within 90 s.')
}

async function end(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null) return
  service.kill('SIGTERM')
  await once(service, 'exit')
}
