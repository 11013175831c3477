import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../../server/test/seed.ts'
import { killRounds } from './kill-rounds.ts'

const { KILL_ROUNDS = '5' } = process.env

test(`kill -9 under load, ${KILL_ROUNDS} rounds, seed ${seed}: every acknowledged write is there once`, {
  timeout: 20 * 60_000,
}, async (t) => {
  const report = await killRounds(Number(KILL_ROUNDS), seed)
  // How long a start after a kill takes is measured by `npm run bench -- starts`.
  t.diagnostic(JSON.stringify(report))
  assert.ok(report.acknowledged >= 40 * Number(KILL_ROUNDS), 'it was under load')
  assert.equal(report.startsMs.length, Number(KILL_ROUNDS), 'each kill was followed by a start')
})
