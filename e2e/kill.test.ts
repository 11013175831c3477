import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killRounds } from './durability/kill-rounds.ts'

const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31))

test(`kill -9 under load, three rounds, seed ${seed}: every acknowledged write is there once`, async (t) => {
  const report = await killRounds(3, seed)
  t.diagnostic(JSON.stringify(report))
  assert.ok(report.acknowledged > 100, 'it was under load')
})
