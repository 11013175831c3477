// Runs the test files that are named in this one process, one after the other, each a suite with its own hooks:
// node tools/test-group.ts <file.test.ts …>
import { createRequire } from 'node:module'
import path from 'node:path'
import { describe } from 'node:test'

/** A file that hangs, not one that is slow: under load everything takes as long as it takes. */
const timeout = 900_000
// `import()` would begin tests in whichever suite is being made when the file is there; this takes no file that awaits at its top.
const load = createRequire(import.meta.url)

for (const file of process.argv.slice(2)) describe(file, { timeout }, () => void load(path.resolve(file)))
