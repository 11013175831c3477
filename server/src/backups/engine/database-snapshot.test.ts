import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SiteError, type SiteReason } from '../../connector/site-error.ts'
import { takeWhole } from './database-snapshot.ts'

const whole = (reason: SiteReason, status?: number) =>
  takeWhole({
    ask: async () => {
      throw new SiteError(reason, 'No.', status === undefined ? {} : { status })
    },
    packer: { add: () => assert.fail('nothing arrives'), stored: async () => new Set() },
    tables: [
      {
        name: 'wp_a',
        kind: 'table',
        rows: 1,
        bytes: 1,
        create: 'CREATE TABLE',
        auto_increment: null,
        columns: [],
        key: ['id'],
        triggers: [],
      },
    ],
    ...{ before: new Map(), readAll: false, sliceBytes: 1 << 20, signal: new AbortController().signal },
  })

test('where a snapshot does not pass for its size, or what it says, the tables are read one by one', async () => {
  for (const status of [403, 406, 413, 503]) assert.equal(await whole('http_status', status), null, `${status}`)
  for (const reason of ['security_plugin', 'challenge_page', 'connect', 'timeout', 'too_large'] as const)
    assert.equal(await whole(reason), null, reason)
})

test('what is about the site ends it', async () => {
  await assert.rejects(whole('http_status', 401), { reason: 'http_status', status: 401 })
  await assert.rejects(whole('clone', 409), { reason: 'clone' })
})
