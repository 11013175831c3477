import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../../server/test/seed.ts'
import { killRounds } from './kill-rounds.ts'

const { KILL_ROUNDS = '10' } = process.env

test(`kill -9 under load, ${KILL_ROUNDS} rounds, seed ${seed}: every acknowledged write is there once`, {
  timeout: 20 * 60_000,
}, async (t) => {
  const report = await killRounds(Number(KILL_ROUNDS), seed)
  t.diagnostic(JSON.stringify(report))
  assert.ok(report.acknowledged >= 40 * Number(KILL_ROUNDS), 'it was under load')
  // The one in the middle: PostgreSQL gives a child that waits for the disk 5 s before it is gone, so some starts have to wait that long.
  const usual = report.startsMs[Math.floor(report.startsMs.length / 2)] ?? 0
  assert.ok(usual <= 1.5 * report.firstStartMs, `starts took ${report.startsMs.join(', ')} ms, the first one ${report.firstStartMs}`)
})
