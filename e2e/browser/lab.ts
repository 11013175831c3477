import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const unlessThere = 'test -e server/lab/node_modules/.package-lock.json || npm run -s lab:install'

/** Lighthouse, as an operator installs it; once, where several tests want it at the same time (flock of util-linux). */
export function ensureLab(): void {
  execFileSync('flock', ['server/lab/package-lock.json', 'sh', '-c', unlessThere], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
