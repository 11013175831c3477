import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handedIn } from './service.ts'

test('the demo takes a mail server from whoever starts it, and nothing of a service that somebody else runs', () => {
  const others = { SERVICE_SMTP_URL: 'smtp://mail.example:587', DATABASE_URL: 'postgres://db.example/service' }
  assert.deepEqual(handedIn(others), {})
  assert.deepEqual(handedIn({ ...others, DEMO_SMTP_URL: 'smtp://127.0.0.1:1025' }), { SERVICE_SMTP_URL: 'smtp://127.0.0.1:1025' })
})
