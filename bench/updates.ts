// npm run bench:updates [sites]: twenty real sites, three of them offered a broken version. Needs root on Debian, as e2e/native does.
import { type Batch, batchTable, complaints, runBatch } from '../e2e/native/updates/batch.ts'

const [sites = '20'] = process.argv.slice(2)
const batch: Batch = {
  sites: Number(sites),
  broken: ['fatal_at_load', 'error_500_page', 'blank_200_page'],
  firstWave: 1,
  waveSize: 4,
}
const began = performance.now()
const { rollout, rows } = await runBatch(batch, (words) => process.stderr.write(`${words}\n`))
const wrong = complaints(batch, rows, 10)
process.stdout.write(
  `${batchTable(rows)}\n\nrollout ${rollout.status}, ${Math.round((performance.now() - began) / 1000)} s with everything\n`,
)
for (const each of wrong) process.stdout.write(`NOT KEPT: ${each}\n`)
process.exitCode = wrong.length > 0 ? 1 : 0
