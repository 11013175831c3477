// `npm start`: the service, after its dashboard was built where that is not what its sources say.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { builtDigest, sourceDigest } from './dashboard.ts'

if (builtDigest() !== sourceDigest()) build()
await import('../server/src/main.ts')

/** In a process of its own, with the packages that building takes and running does not. The service runs whatever comes of it. */
function build(): void {
  process.stderr.write('The dashboard is older than its sources and is built …\n')
  const bootstrap = path.join(import.meta.dirname, 'bootstrap.mjs')
  const { status } = spawnSync(process.execPath, [bootstrap, '--dev', 'tools/pack.ts'], { stdio: ['ignore', 2, 2] })
  if (status !== 0)
    process.stderr.write('The dashboard could not be built, for what is said above: the one of before is served. Try `npm run pack`.\n')
}
