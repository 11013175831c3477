import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'

const root = mkdtempSync(join(tmpdir(), 'svc-test-start-'))
after(() => rmSync(root, { recursive: true }))

const source = 'dashboard/src/main.tsx'
/** Stands for the installation and the packer: says how it was called, and builds, unless a source is wrong. */
const fakeBootstrap = `
import { readFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { sourceDigest } from './dashboard.ts'
console.log('built with', ...process.argv.slice(2))
if (readFileSync('${source}', 'utf8').includes('wrong')) process.exit(1)
mkdirSync('dashboard/dist', { recursive: true })
writeFileSync('dashboard/dist/built-from', sourceDigest())`

beforeEach(() => {
  rmSync(root, { recursive: true })
  for (const folder of ['tools', 'server/src', 'dashboard/src', 'dashboard/catalogue', 'contract'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['start.ts', 'dashboard.ts', 'dashboard-scripts.ts'])
    copyFileSync(join(import.meta.dirname, name), join(root, 'tools', name))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(root, 'tools/bootstrap.mjs'), fakeBootstrap)
  writeFileSync(join(root, 'server/src/main.ts'), `process.stdout.write('runs ' + process.argv.slice(2).join(' '))`)
  writeFileSync(join(root, 'contract/operations.json'), '{"operations":[]}')
  for (const file of [source, 'dashboard/icon.svg', 'dashboard/package.json']) writeFileSync(join(root, file), 'as it was')
})

const start = () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['tools/start.ts', 'serve'], { cwd: root, encoding: 'utf8' })
  return { out: stdout, err: stderr }
}

test('a dashboard that is missing, or older than its sources, is built before the service runs; one that fits is not', () => {
  const first = start()
  assert.equal(first.out, 'runs serve')
  assert.match(first.err, /^The dashboard is older than its sources and is built …\nbuilt with --dev tools\/pack\.ts\n$/)
  assert.deepEqual(start(), { out: 'runs serve', err: '' })
  appendFileSync(join(root, source), ', and more')
  assert.match(start().err, /built with/)
  assert.deepEqual(start(), { out: 'runs serve', err: '' })
})

test('the service runs also when its dashboard cannot be built, and says so', () => {
  start()
  const before = readFileSync(join(root, 'dashboard/dist/built-from'), 'utf8')
  writeFileSync(join(root, source), 'wrong')
  const { out, err } = start()
  assert.equal(out, 'runs serve')
  assert.match(err, /could not be built.*the one of before is served/)
  assert.equal(readFileSync(join(root, 'dashboard/dist/built-from'), 'utf8'), before)
})
