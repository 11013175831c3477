import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { DevTools } from './devtools.ts'

function aBrowser() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const tools = new DevTools({ stdio: [null, null, null, input, output] } as unknown as ChildProcess)
  return { tools, output }
}

test('each answer reaches who asked, whatever pieces it comes in', async () => {
  const { tools, output } = aBrowser()
  const asked = [tools.send('one'), tools.send('two')]
  for (const piece of ['{"id":2,"result":"b"}', '\0{"id":1,', '"result":"a"}\0']) output.write(piece)
  assert.deepEqual(await Promise.all(asked), ['a', 'b'])
})

for (const nonsense of ['not JSON', 'null', '7', ''])
  test(`a browser that says ${JSON.stringify(nonsense)} is gone for whoever waits, and the service goes on`, async () => {
    const { tools, output } = aBrowser()
    const asked = tools.send('one')
    output.write(`${nonsense}\0`)
    await assert.rejects(asked, /The browser is gone/)
    await assert.rejects(tools.send('two'), /The browser is gone/)
  })
