// Runs the test files that are named in this one process, one after the other, each a suite with its own hooks:
// node tools/test-group.ts <file.test.ts …>
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'

/** A file that hangs, not one that is slow: under load everything takes as long as it takes. */
const timeout = 900_000

for (const file of process.argv.slice(2)) describe(file, { timeout }, async () => void (await import(pathToFileURL(file).href)))
