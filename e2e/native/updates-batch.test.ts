// The short form of `npm run bench:updates`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Batch, batchTable, complaints, runBatch } from './updates/batch.ts'

test('five sites, one with a broken version on offer: four updated, one rolled back, and no visitor met it', async () => {
  const batch: Batch = { sites: 5, broken: ['fatal_at_load'], firstWave: 1, waveSize: 4 }
  const { rollout, rows } = await runBatch(batch)
  process.stdout.write(`${batchTable(rows)}\n`)
  assert.deepEqual(complaints(batch, rows), [])
  assert.equal(rollout.status, 'completed')
})
