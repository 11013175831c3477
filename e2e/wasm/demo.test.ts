// `npm run demo`, as the README has it: twice, because the second start goes on from what the first one left.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

interface Listed {
  name: string
  url: string
  status: string
}

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
let running: ChildProcess | undefined
after(() => {
  running?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** What it prints when everything runs, and how it is stopped: as by Ctrl-C. */
async function startDemo(): Promise<{ told: string; stop: () => Promise<string> }> {
  const child = spawn(process.execPath, ['tools/bootstrap.mjs', 'demo/main.ts'], {
    cwd: root,
    env: { ...process.env, DEMO_FOLDER: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running = child
  let told = ''
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const exited = once(child, 'exit')
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      told += text
      if (/Ctrl-C/.test(told)) resolve()
    })
    void exited.then(() => resolve())
  })
  assert.match(told, /Ctrl-C/, `It ended instead: ${said}`)
  return {
    told,
    async stop() {
      child.kill('SIGINT')
      assert.deepEqual(await exited, [0, null], said)
      return said
    },
  }
}

const addressIn = (told: string) => /^ *Address +(\S+)$/m.exec(told)?.[1] ?? assert.fail(told)
const tokenIn = (told: string) => /^ *Token +(svc_\S+)$/m.exec(told)?.[1] ?? assert.fail(told)

async function sitesOf(told: string): Promise<Listed[]> {
  const answer = await fetch(`${addressIn(told)}/api/v1/sites`, { headers: { authorization: `Bearer ${tokenIn(told)}` } })
  assert.equal(answer.status, 200)
  return ((await answer.json()) as Listed[]).toSorted((a, b) => a.name.localeCompare(b.name))
}

test('the demo starts the service with two WordPress sites that are connected, and goes on from there the next time', async () => {
  const first = await startDemo()
  const sites = await sitesOf(first.told)
  assert.deepEqual(
    sites.map(({ status }) => status),
    ['connected', 'connected'],
  )
  for (const { name, url } of sites) {
    assert.ok(first.told.includes(url), 'its address is printed')
    assert.ok((await (await fetch(url)).text()).includes(`<title>${name}`))
  }
  await first.stop()
  // Nothing is left behind.
  for (const url of [addressIn(first.told), ...sites.map(({ url }) => url)]) await assert.rejects(fetch(url), { message: 'fetch failed' })

  const second = await startDemo()
  assert.equal(tokenIn(second.told), tokenIn(first.told))
  assert.deepEqual(
    (await sitesOf(second.told)).map(({ url, status }) => [url, status]),
    sites.map(({ url }) => [url, 'connected']),
  )
  await second.stop()
})
