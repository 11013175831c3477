import fs from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..')

/** What needs more than npm’s packages: a browser, PHP, a web server, a WordPress. */
const HEAVY = 'e2e/{native,browser,wasm,tasks,durability,connector}/*.test.ts'

/** What a `prove:` command of package.json has: long forms, more of a kind that is among the others, and the sites that tests stand on. */
export const PROVED = [
  'e2e/browser/lab-hostile.test.ts',
  'e2e/browser/languages.test.ts',
  'e2e/browser/pictures.test.ts',
  'e2e/browser/real-fleet.test.ts',
  'e2e/browser/report-pdf.test.ts',
  'e2e/browser/report-story.test.ts',
  'e2e/browser/reports.test.ts',
  'e2e/durability/disaster.test.ts',
  'e2e/durability/fuzz.test.ts',
  'e2e/native/database.test.ts',
  'e2e/native/down.test.ts',
  'e2e/native/ending.test.ts',
  'e2e/native/findings.test.ts',
  'e2e/native/fleet.test.ts',
  'e2e/native/identical.test.ts',
  'e2e/native/lab.test.ts',
  'e2e/native/large-rows.test.ts',
  'e2e/native/neighbours.test.ts',
  'e2e/native/restore.test.ts',
  'e2e/native/resume.test.ts',
  'e2e/native/roots.test.ts',
  'e2e/native/strangers.test.ts',
  'e2e/native/trouble.test.ts',
  'e2e/native/tweaks-files.test.ts',
  'e2e/native/tweaks.test.ts',
  'e2e/native/undo-core.test.ts',
  'e2e/native/undo.test.ts',
  'e2e/native/updates-batch.test.ts',
  'e2e/native/updates-evening.test.ts',
  'e2e/native/updates-kill.test.ts',
  'e2e/native/updates-pictures.test.ts',
  'e2e/native/verify.test.ts',
  'e2e/native/walk.test.ts',
  'e2e/native/wasm-site.test.ts',
  'e2e/native/watching.test.ts',
  'e2e/wasm/broken.test.ts',
  'e2e/wasm/story.test.ts',
  'e2e/wasm/updates-evening.test.ts',
]

/** What takes longest begins first, so that nothing runs long after the others. */
export const LONGEST = [
  'e2e/native/updates.test.ts',
  'e2e/native/story.test.ts',
  'e2e/connector/php.test.ts',
  'e2e/browser/real.test.ts',
  'e2e/browser/pages.test.ts',
  'e2e/tasks/tasks.test.ts',
  'e2e/durability/kill.test.ts',
  'e2e/native/worlds.test.ts',
  'e2e/native/cves.test.ts',
  'e2e/browser/hostile.test.ts',
]

/** The heavy suites but those that are proved elsewhere, the longest first. */
export function heavyFiles(): string[] {
  const files = fs.globSync(HEAVY, { cwd: ROOT }).filter((file) => !PROVED.includes(file))
  return [...LONGEST, ...files.filter((file) => !LONGEST.includes(file)).toSorted()]
}
