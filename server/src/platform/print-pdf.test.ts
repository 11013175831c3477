import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { aChromium, type Browser } from '../../test/fake-chromium.ts'
import { NotPrinted, type Printer, printPdf } from './print-pdf.ts'

/** Other processes print as well, and what they have in the folder of all is not ours. */
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-print-'))
const { TMPDIR } = process.env
before(() => {
  // Who prints is nobody where we are root.
  fs.chmodSync(temporary, 0o755)
  process.env.TMPDIR = temporary
})
after(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  fs.rmSync(temporary, { recursive: true, force: true })
})

const left = () => fs.readdirSync(temporary).filter((name) => name.startsWith('svc-browser-'))

async function printedBy(does: Browser, limits: Partial<Printer> = {}): Promise<string> {
  const { program, stop } = aChromium(does)
  try {
    return (await printPdf({ program, sandbox: 'on', ...limits }, Buffer.from('the page'))).toString('latin1')
  } finally {
    stop()
    assert.deepEqual(left(), [], 'nothing is left of it')
  }
}

test('what the browser printed is the PDF', async () => assert.equal(await printedBy('prints'), '%PDF-1.4\nthe page'))

const troubles: [Browser, Partial<Printer>, RegExp][] = [
  ['hangs', { timeoutMs: 300 }, /too long/],
  ['fails', {}, /could not print/],
  ['prints nothing', {}, /printed nothing/],
  ['prints no PDF', {}, /no PDF/],
  ['prints too much', { mostBytes: 2_000_000 }, /too large/],
  ['takes too much memory', { mostMemory: 30_000_000 }, /too much memory/],
]
for (const [does, limits, message] of troubles)
  test(`a browser that ${does} is ended, with a sentence`, () =>
    assert.rejects(printedBy(does, limits), (error) => error instanceof NotPrinted && message.test(error.message)))

test('a program that is not there is told, and the next one prints', async () => {
  await assert.rejects(printPdf({ program: '/nowhere/browser', sandbox: 'on' }, Buffer.from('x')), NotPrinted)
  assert.match(await printedBy('prints'), /^%PDF/)
})

test('of many at once some are printed, one after another, and the others hear that it is too much', async () => {
  const { program, stop } = aChromium('prints')
  const asked = Array.from({ length: 12 }, () => printPdf({ program, sandbox: 'on' }, Buffer.from('x')))
  const ended = await Promise.allSettled(asked)
  stop()
  assert.deepEqual(
    [ended.filter(({ status }) => status === 'fulfilled').length, ended.filter(({ status }) => status === 'rejected').length],
    [8, 4],
  )
  assert.match(await printedBy('prints'), /^%PDF/)
})

test('it has no network and nothing of our surroundings, and is nobody where we are root', async () => {
  process.env.SVC_A_SECRET = 'hidden'
  const told = await printedBy('tells its surroundings')
  delete process.env.SVC_A_SECRET
  assert.doesNotMatch(told, /hidden|SVC_A_SECRET|DATABASE|SERVICE_/)
  for (const flag of ['--host-resolver-rules=MAP * ~NOTFOUND', '--proxy-server=http://127.0.0.1:9']) assert.ok(told.includes(flag), flag)
  assert.doesNotMatch(told, /--no-sandbox/)
  if (process.getuid?.() === 0) assert.match(told, /\n65534\n$/)
})
