import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-bootstrap-'))
after(() => fs.rmSync(root, { recursive: true }))

const wanted = {
  '': { name: 'example' },
  'node_modules/needed': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/tool': { version: '2.0.0', integrity: 'sha512-b', dev: true },
  'node_modules/foreign': { version: '3.0.0', integrity: 'sha512-c', optional: true, os: ['aix'] },
  'node_modules/for-foreign': { version: '3.0.0', integrity: 'sha512-d', optional: true },
}

/** Stands for npm: slow, says how it was called, and records what it "installed" as npm does. */
const fakeNpm = `
const fs = require('node:fs')
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')
console.log('npm talks')
setTimeout(() => {
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'))
  const dev = process.argv.includes('--include=dev')
  const installed = Object.entries(packages).filter(([place, one]) => place && !one.optional && (dev || !one.dev) && !fs.existsSync('without-' + place.slice(13)))
  fs.mkdirSync('node_modules', { recursive: true })
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }))
}, 300)`

const entry = `
process.stdout.write('entry ' + process.argv.slice(2).join(' '))
if (process.argv[2] === 'stay') {
  const alive = setInterval(() => {}, 1000)
  process.on('SIGTERM', () => { process.stdout.write(' drained'); clearInterval(alive) })
  process.stdout.write(' ready')
}
process.exitCode = process.argv[2] === 'fail' ? 7 : 0`

beforeEach(() => {
  fs.rmSync(root, { recursive: true })
  fs.mkdirSync(path.join(root, 'tools'), { recursive: true })
  fs.copyFileSync(path.join(import.meta.dirname, 'bootstrap.mjs'), path.join(root, 'tools/bootstrap.mjs'))
  fs.writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }))
  fs.writeFileSync(path.join(root, 'npm.cjs'), fakeNpm)
  fs.writeFileSync(path.join(root, 'entry.ts'), entry)
})

const npmCalls = () => (fs.existsSync(path.join(root, 'calls')) ? fs.readFileSync(path.join(root, 'calls'), 'utf8').trim().split('\n') : [])

function start(...args: string[]) {
  const env = { PATH: process.env.PATH, npm_execpath: path.join(root, 'npm.cjs') }
  const child = spawn(process.execPath, [path.join(root, 'tools/bootstrap.mjs'), ...args], {
    env,
    cwd: os.tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  return { child, said, ended: once(child, 'close').then(([code]) => ({ code, ...said })) }
}

test('the first run installs, later ones do not, and standard output is the entry\u2019s alone', async () => {
  const first = await start('entry.ts', 'a', '--b').ended
  assert.deepEqual([first.code, first.out], [0, 'entry a --b'])
  assert.match(first.err, /^Installing the packages/)
  const second = await start('entry.ts', 'fail').ended
  assert.deepEqual(second, { code: 7, out: 'entry fail', err: '' })
  assert.equal(npmCalls().length, 1)
  assert.match(npmCalls()[0] ?? '', /install .*--ignore-scripts.*--omit=dev/)
})

test('tools for development are added when asked for and satisfy a run without them', async () => {
  await start('entry.ts').ended
  await start('--dev', '--quiet', 'entry.ts').ended
  const { err } = await start('entry.ts').ended
  assert.deepEqual([npmCalls().length, err], [2, ''])
  assert.match(npmCalls()[1] ?? '', /--include=dev/)
})

test('a changed lockfile is noticed', async () => {
  await start('entry.ts').ended
  const changed = { ...wanted, 'node_modules/needed': { version: '1.0.1', integrity: 'sha512-z' } }
  fs.writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify({ packages: changed }))
  assert.equal((await start('entry.ts').ended).code, 0)
  assert.equal(npmCalls().length, 2)
})

test('of three that start together one installs and all run', async () => {
  const all = await Promise.all([1, 2, 3].map((number) => start('entry.ts', String(number)).ended))
  assert.deepEqual(
    all.map(({ out }) => out),
    ['entry 1', 'entry 2', 'entry 3'],
  )
  assert.equal(npmCalls().length, 1)
})

test('one that was killed while it installed does not stop the next', async () => {
  const killed = start('entry.ts')
  while (npmCalls().length === 0) await new Promise((resume) => setTimeout(resume, 10))
  killed.child.kill('SIGKILL')
  assert.equal((await start('entry.ts').ended).code, 0)
})

test('a package that npm left out is said, and nothing runs without it', async () => {
  fs.writeFileSync(path.join(root, 'without-needed'), '')
  const { code, out, err } = await start('entry.ts').ended
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /did not install exactly what package-lock.json names/)
})

test('a SIGTERM reaches the entry, which may drain', async () => {
  const { child, said, ended } = start('--quiet', 'entry.ts', 'stay')
  while (!said.out.includes('ready')) await new Promise((resume) => setTimeout(resume, 10))
  child.kill('SIGTERM')
  assert.deepEqual(await ended, { code: 0, out: 'entry stay ready drained', err: '' })
})
