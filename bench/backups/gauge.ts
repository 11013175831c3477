// Loaded into the service before anything else: tells, when it is asked by a signal, how long its event loop was kept waiting since.
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.BENCH_GAUGE
const resolution = 5

if (file !== undefined && isMainThread) {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  process.on('SIGUSR2', () => {
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution)
    writeFileSync(file, JSON.stringify({ p99: late(delay.percentile(99)), max: late(delay.max) }))
    delay.reset()
  })
}
