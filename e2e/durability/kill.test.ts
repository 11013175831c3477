import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killRounds } from './kill-rounds.ts'

const { KILL_ROUNDS = '20', KILL_SEED } = process.env
const seed = Number(KILL_SEED ?? Math.floor(Math.random() * 2 ** 31))

test(`kill -9 under load, ${KILL_ROUNDS} rounds, seed ${seed}: every acknowledged write is there once`, {
  timeout: 20 * 60_000,
}, async (t) => {
  const report = await killRounds(Number(KILL_ROUNDS), seed)
  t.diagnostic(JSON.stringify(report))
  assert.ok(report.acknowledged > 10 * Number(KILL_ROUNDS), 'it was under load')
  // How long a start takes is printed, not judged: beside other suites on a shared machine it says more about them. It must come, though.
  assert.ok((report.startsMs.at(-1) ?? 0) < 60_000, `starts took ${report.startsMs.join(', ')} ms`)
})
