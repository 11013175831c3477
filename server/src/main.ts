import { startHint } from './admin/first-owner.ts'
import { admin } from './admin/main.ts'
import { ConfigError, readConfig } from './config.ts'
import { listen } from './http/listen.ts'
import { createLog } from './platform/log.ts'
import { openDatabase } from './platform/open-database.ts'
import { Refusal } from './platform/refusal.ts'
import { openService, prepareDatabase } from './service.ts'

const usage = `usage: main.ts serve | work | migrate | admin …

serve     the service in this process, as SERVICE_ROLE says (all, serve or work)
work      only the jobs
migrate   bring the database up to date and stop
admin     what an operator does; admin --help tells`

const now = () => new Date()

/** Longer than a drain may take; then the process ends all the same. */
const drainMs = 9000

async function main([command = 'serve', ...rest]: string[]): Promise<void> {
  if (command === 'admin') {
    process.exitCode = await admin(rest)
    return
  }
  if (command === 'serve' || command === 'work') return serve(command === 'work')
  if (command === 'migrate') return migrateOnly()
  process.stderr.write(`${usage}\n`)
  process.exitCode = 2
}

async function serve(worksOnly: boolean): Promise<void> {
  const config = worksOnly ? { ...readConfig(), role: 'work' as const } : readConfig()
  const log = createLog({ level: config.logLevel, to: 'stdout' })
  const began = performance.now()
  const database = await openDatabase({ url: config.databaseUrl, dataDir: config.dataDir, role: 'service', log })
  const service = await openService({ config, log, address: database.address, now })

  let stopping: Promise<void> | undefined
  const stop = (why: string, code: number) => {
    stopping ??= (async () => {
      log.info({ why }, 'stopping: no new requests, running work reaches a safe point')
      setTimeout(() => process.exit(1), drainMs).unref()
      await service.close()
      await database.close()
      log.info({}, 'stopped')
      process.exit(code)
    })()
    return stopping
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, 0))
  void database.ended.then(() => stop('the embedded database ended', 1))

  if (service.server) await listen(service.server, config)
  const at = service.server ? config.baseUrl : 'no port: only jobs'
  log.info({ role: config.role, at, ms: Math.round(performance.now() - began) }, 'the service is up')
  if (service.server) await startHint(service.world)
}

async function migrateOnly(): Promise<void> {
  const config = readConfig()
  const log = createLog({ level: config.logLevel, to: 'stdout' })
  const database = await openDatabase({ url: config.databaseUrl, dataDir: config.dataDir, role: 'command', log })
  const applied = await prepareDatabase({ address: database.address, log })
  log.info({ applied }, 'the database is up to date')
  await database.close()
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  const known = error instanceof Refusal || error instanceof ConfigError
  process.stderr.write(`${known ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`)
  process.exit(1)
}
