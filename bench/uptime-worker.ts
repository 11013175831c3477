// The service's sweep as the duty drives it, and no other duty; it tells how many checks it made and how late each of the last began.
import { readConfig } from '../server/src/config.ts'
import { createLog } from '../server/src/platform/log.ts'
import type { DatabaseAddress } from '../server/src/platform/open-database.ts'
import { openService } from '../server/src/service.ts'
import { Sweep } from '../server/src/uptime/sweep.ts'

const address = JSON.parse(process.env.BENCH_DATABASE ?? '') as DatabaseAddress
const config = { ...readConfig(), role: 'serve' as const }
const { world } = await openService({ config, log: createLog({ level: 'error', to: process.stderr }), address, now: () => new Date() })
let checks = 0
let pings = 0
let lateness: number[] = []
const watch: typeof world.watch = async (request) => {
  const answer = await world.watch(request)
  if (request.method === 'POST') pings++
  else checks++
  return answer
}
const sweep = new Sweep({ ...world, watch }, undefined, (late) => lateness.push(late))
const timer = setInterval(() => void sweep.pass().catch((error) => process.stderr.write(`${error}\n`)), 500)
process.on('message', () => {
  process.send?.({ checks, pings, lateness })
  lateness = []
})
process.once('SIGTERM', () => {
  clearInterval(timer)
  process.exit(0)
})
process.send?.('ready')
