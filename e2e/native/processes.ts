// The processes behind a house and a fleet: ended the hard way, or told to read their configuration again.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../house.ts'
import type { Fleet } from './fleet.ts'

const childrenOf = async (pid: string, task = pid) =>
  (await readFile(`/proc/${pid}/task/${task}/children`, 'utf8')).trim().split(' ').filter(Boolean)

/** SIGKILL to the service of this test. */
export async function killService(): Promise<void> {
  for (const task of await readdir('/proc/self/task'))
    for (const pid of await childrenOf('self', task))
      if (/main\.ts\0serve/.test(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))) process.kill(Number(pid), 'SIGKILL')
}

/** SIGKILL to every worker of the fleet's PHP; the master starts new ones. Answers how many there were. */
export async function killWorkers(fleetDir: string): Promise<number> {
  const workers = await childrenOf((await readFile(join(fleetDir, 'run/fpm.pid'), 'utf8')).trim())
  for (const pid of workers)
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
  return workers.length
}

/** Gives nginx another configuration, and waits until the workers that know the old one are gone. */
export async function reconfigure({ dir }: Fleet, config: string): Promise<void> {
  await writeFile(join(dir, 'nginx.conf'), config)
  const nginx = (await readFile(join(dir, 'run/nginx.pid'), 'utf8')).trim()
  const known = await childrenOf(nginx)
  process.kill(Number(nginx), 'SIGHUP')
  await until('A new worker', async () => {
    const now = await childrenOf(nginx)
    return now.length === 1 && !known.includes(now[0] ?? '') ? true : undefined
  })
}
