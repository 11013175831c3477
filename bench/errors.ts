// npm run bench:errors: what it costs a page that its PHP errors are seen, as processor time of PHP. Needs root on Debian, as e2e/native does.
import { chown, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONNECTOR } from '../e2e/guest.ts'
import { openHouse } from '../e2e/house.ts'
import { dropIns } from '../e2e/native/errors/drop-ins.ts'
import { startFleet } from '../e2e/native/fleet.ts'
import { connectAll } from '../e2e/native/managed.ts'
import { table, verdict } from './report.ts'

const rounds = 30
/** How many times what the same page costs unseen. */
const bar = 1.1
const faults = join(import.meta.dirname, '../e2e/native/errors/harbour-faults.php')
/** What a process of PHP has used of the processor, in milliseconds. */
const used =
  "<?php $all = getrusage(); echo 1000 * ( $all['ru_utime.tv_sec'] + $all['ru_stime.tv_sec'] ) + ( $all['ru_utime.tv_usec'] + $all['ru_stime.tv_usec'] ) / 1000;"
/** A header has a page unseen, so both are answered by one process: of two one is often a tenth slower all its life. */
const blind = "<?php\ndefine( 'SVC_CONNECTOR_ERRORS', ! isset( $_SERVER['HTTP_X_BLIND'] ) );"

const house = await openHouse({ SERVICE_LIVE_LOOK_SECONDS: '0' })
// What one process of PHP answers next begins when what it answered before has come to its very end.
const pool = ['pm = static', 'pm.max_children = 1']
const fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb', pool, php: { memory_limit: '64M' } }], { plugins: [CONNECTOR] })
try {
  const [site] = fleet.sites
  if (!site) throw new Error('There is no site.')
  const { dir, content, url } = site
  /** As the site's own PHP would have written it. */
  const put = async (path: string, text: string) => {
    await writeFile(path, text)
    const { uid, gid } = await stat(content)
    await chown(path, uid, gid)
  }
  await put(join(content, 'plugins/harbour-faults.php'), await readFile(faults, 'utf8'))
  await site.wpCli(['plugin', 'activate', 'harbour-faults'])
  await connectAll(house, fleet)
  const config = join(dir, 'wp-config.php')
  await put(config, (await readFile(config, 'utf8')).replace(/^<\?php/, blind))
  await put(join(dir, 'harbour-used.php'), used)

  const usedBy = async () => Number(await (await fetch(`${url}/harbour-used.php`)).text())
  /** Of its process, whatever was done after the page had been sent. */
  const costOf = async (fault: string, headers: Record<string, string>) => {
    const before = await usedBy()
    await (await fetch(`${url}/?fault=${fault}`, { headers })).text()
    return (await usedBy()) - before
  }
  /** The least of each, by turns: what it costs with the processor to itself. */
  const measure = async (what: string, fault: string) => {
    let [without, seen] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < rounds; round++)
      [without, seen] = [Math.min(without, await costOf(fault, { 'x-blind': 'yes' })), Math.min(seen, await costOf(fault, {}))]
    return { what, without, seen }
  }
  const measured = [await measure('600,000 warnings', 'flood'), await measure('memory that runs out', 'memory')]
  for (const [name, text] of Object.entries(dropIns)) {
    await put(join(content, name), text)
    measured.push(await measure(`an error, and ${name}`, 'call'))
    await rm(join(content, name))
  }
  const ms = (figure: number) => `${figure.toFixed(1)} ms`
  const shown = measured.map(({ what, without, seen }) => [what, ms(without), ms(seen), ms(without * bar), verdict(seen <= without * bar)])
  process.stdout.write(table('Processor time of a page', ['', 'unseen', 'seen', 'bar', ''], shown))
  process.exitCode = measured.some(({ without, seen }) => seen > without * bar) ? 1 : 0
} finally {
  await fleet.stop()
  await house.close()
}
