import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../../server/test/seed.ts'
import { killRounds } from './kill-rounds.ts'

const { KILL_ROUNDS = '5' } = process.env

test(`kill -9 under load, ${KILL_ROUNDS} rounds, seed ${seed}: every acknowledged write is there once`, {
  timeout: 20 * 60_000,
}, async (t) => {
  const report = await killRounds(Number(KILL_ROUNDS), seed)
  t.diagnostic(JSON.stringify(report))
  assert.ok(report.acknowledged >= 40 * Number(KILL_ROUNDS), 'it was under load')
  // PostgreSQL gives a child that waits for the disk 5 s before it is gone, so a rare start has to wait that long: of few rounds the one in the middle tells.
  const share = report.startsMs.length < 40 ? 0.5 : 0.9
  const usual = report.startsMs[Math.ceil(report.startsMs.length * share) - 1] ?? 0
  assert.ok(usual <= 1.5 * report.firstStartMs, `starts took ${report.startsMs.join(', ')} ms, the first one ${report.firstStartMs}`)
})
