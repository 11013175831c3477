import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createLog, scrub } from './log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  write(
    createLog({
      level: 'debug',
      to: {
        write: (line) => {
          text += line
        },
      },
    }),
  )
  return text
}

const token = `svc_${'a1B2'.repeat(9)}Zz`
const ticket = randomBytes(32).toString('base64url')
const code = 'A1B2C-D3E4F-G5H6J-K7M8N'

test('no secret gets into a line, whatever it is a part of', () => {
  const canaries = [token, ticket, code, code.replaceAll('-', ''), 'hunter2hunter2']
  const text = logged((log) => {
    for (const canary of [token, ticket, code, code.replaceAll('-', '')]) {
      log.info({ note: `seen ${canary}.`, deep: { list: [`x\n${canary}`, `\u0001${canary}`] } }, `message with ${canary}`)
      log.error({ err: new Error(`failed for ${canary}`) }, 'an error')
    }
    log.info({ url: `https://example.org/?svc-connector-login=hunter2hunter2&x=1` }, 'opened')
    log.info({ headers: { Authorization: 'Bearer hunter2hunter2', 'set-cookie': ['session=hunter2hunter2'] } }, 'request')
    log.info({ accessToken: 'hunter2hunter2', master_key: { bytes: 'hunter2hunter2' }, Password: 'hunter2hunter2' }, 'fields')
    log.info({ nested: [{ apiKey: 'hunter2hunter2', client_secret: 12345678 }] }, 'nested')
    log.warn('cannot reach postgres://someone:hunter2hunter2@example.org/db')
  })
  for (const canary of canaries) assert.equal(text.includes(canary), false, `${canary} in ${text}`)
  assert.equal(text.includes('12345678'), false)
})

test('what is not a secret stays readable', () => {
  const facts = {
    token_id: 'tok_1',
    keyid: 'k1',
    has_token: true,
    site_id: 'site_01J9ZK3V8Q7N5M4P2R6S0T1W',
    digest: 'a'.repeat(64),
    count: 3,
  }
  const { level, time, ...rest } = JSON.parse(logged((log) => log.info(facts, 'A plain sentence, with /paths/and-words.')))
  assert.deepEqual(rest, { ...facts, msg: 'A plain sentence, with /paths/and-words.' })
  assert.deepEqual([level, typeof time], [30, 'string'])
})

test('every line parses and carries no raw control character', () => {
  const hostile = 'one\r\n{"level":50}\u001b[31m\u0000"\\'
  const text = logged((log) => log.info({ hostile, token: hostile }, hostile))
  assert.equal(text.split('\n').length, 2)
  assert.equal(JSON.parse(text).hostile, hostile)
  assert.equal(
    [...text.trimEnd()].some((character) => character < ' '),
    false,
  )
})

test('scrub keeps the rest of a text', () => {
  assert.equal(scrub(`a ${token} b`), 'a [removed] b')
})
