// npm run bench:updates [sites]: twenty real sites, three of them offered a broken version. Needs root on Debian, as e2e/native does.
import { type Batch, batchTable, complaints, runBatch } from '../e2e/native/updates/batch.ts'

const [sites = '20'] = process.argv.slice(2)
const batch: Batch = {
  sites: Number(sites),
  broken: ['fatal_at_load', 'error_500_page', 'blank_200_page'],
  firstWave: 1,
  waveSize: 4,
}
const say = (words: string) => process.stderr.write(`${words}\n`)
// Without a browser: to photograph the site before and after takes as long again.
const single: Batch = { sites: 1, broken: [], firstWave: 1, waveSize: 1, settings: { SERVICE_CHROMIUM: '' } }
const alone = await runBatch(single, say)
const began = performance.now()
const { rollout, rows } = await runBatch(batch, say)
const wrong = [...complaints(single, alone.rows, 10), ...complaints(batch, rows)]
process.stdout.write(
  `One healthy plugin on one site, backed up before, without photographs: ${alone.rows[0]?.seconds.toFixed(1)} s (bar 10 s)\n\n${batchTable(rows)}\n\nrollout ${rollout.status}, ${Math.round((performance.now() - began) / 1000)} s with everything\n`,
)
for (const each of wrong) process.stdout.write(`NOT KEPT: ${each}\n`)
process.exitCode = wrong.length > 0 ? 1 : 0
