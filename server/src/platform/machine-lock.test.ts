import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { tryMachineLock } from './machine-lock.ts'

const name = `svc-test-${process.pid}`

test('on a machine one has it, until it is given back', async () => {
  const first = (await tryMachineLock(name)) ?? assert.fail()
  assert.equal(await tryMachineLock(name), undefined)
  await first.release()
  const second = (await tryMachineLock(name)) ?? assert.fail()
  await second.release()
})

test('another process keeps it from us wherever it works, and not when it is killed', async () => {
  const code = `require('node:net').createServer().listen('\\0${name}', () => console.log('has it'))`
  const other = spawn(process.execPath, ['-e', code], { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
  assert.equal(await tryMachineLock(name), undefined)
  other.kill('SIGKILL')
  await once(other, 'exit')
  const ours = (await tryMachineLock(name)) ?? assert.fail()
  await ours.release()
})
