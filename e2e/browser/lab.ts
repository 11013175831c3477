import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Lighthouse, as an operator installs it. */
export function ensureLab(): void {
  if (!existsSync(join(root, 'server/lab/node_modules/.package-lock.json')))
    execFileSync('npm', ['run', '-s', 'lab:install'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
