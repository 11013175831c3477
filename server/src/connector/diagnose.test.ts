import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diagnose } from './diagnose.ts'

const died = (status: number, message: string) =>
  diagnose({ status, headers: {}, body: Buffer.from(JSON.stringify({ code: 'wp_die', message, data: { status }, additional_errors: [] })) })

for (const [message, status, words] of [
  ['Briefly unavailable for scheduled maintenance. Check back in a minute.', 503, 'WordPress is in maintenance mode'],
  ['<h1>Error establishing a database connection</h1>', 500, 'WordPress has no connection to its database'],
  ['<p>There has been a critical error on this website.</p>', 500, 'WordPress reports a critical error'],
] as const)
  test(`a WordPress that dies in JSON is understood: ${words}`, () => {
    const { reason, message: told } = died(status, message)
    assert.deepEqual([reason, told], ['http_status', `The site answered HTTP ${status}: ${words}.`])
  })

test('changed salts are told as what they are, not as another service', () => {
  const body = Buffer.from(JSON.stringify({ svc: 1, refused: 'salts', time: 1 }))
  const { reason, message } = diagnose({ status: 401, headers: {}, body })
  assert.equal(reason, 'refused:salts')
  assert.match(message, /^The salts in wp-config.php have changed .* pair the site anew\.$/)
})

test('JSON of somebody else is told as unsigned', () => {
  assert.equal(died(403, 'No.').reason, 'not_signed')
  assert.equal(died(200, 'Briefly unavailable for scheduled maintenance.').reason, 'not_signed')
})
