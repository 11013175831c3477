// Runs the test files that are named in this one process, one after the other, each a suite with its own hooks:
// node tools/test-group.ts <file.test.ts …>
import { createHook } from 'node:async_hooks'
import { createRequire } from 'node:module'
import path from 'node:path'
import { describe } from 'node:test'
import { inspect } from 'node:util'

/** A file that hangs, not one that is slow: under load everything takes as long as it takes. */
const timeout = 900_000
// `import()` would begin tests in whichever suite is being made when the file is there; this takes no file that awaits at its top.
const load = createRequire(import.meta.url)

followNoPromises()
// The runner makes the process fail for these too, and names no test any more.
process.on('uncaughtExceptionMonitor', (error, origin) => tellStray(origin, error))
process.on('unhandledRejection', (reason) => tellStray('unhandledRejection', reason))

for (const file of process.argv.slice(2)) describe(file, { timeout }, () => void load(path.resolve(file)))

/**
 * The runner follows each promise from the test that made it, a tenth of the time of all tests, to blame that test for an error that
 * nobody caught. It follows what is no promise all the same, from which it knows the suite that a file is loaded for.
 */
function followNoPromises(): void {
  const hook = createHook({ trackPromises: false })
  const marks = Object.getOwnPropertySymbols(hook).flatMap((mark) => (Reflect.get(hook, mark) === true ? [mark] : []))
  const prototype = Object.getPrototypeOf(hook) as { enable(): unknown }
  const { enable } = prototype
  // The first hook from here on is that of the runner.
  prototype.enable = function (this: object) {
    prototype.enable = enable
    for (const mark of marks) Reflect.set(this, mark, true)
    return enable.call(this)
  }
}

function tellStray(origin: string, error: unknown): void {
  process.stderr.write(`✖ ${origin} in a process of ${process.argv.slice(2).join(' ')}\n${inspect(error)}\n`)
}
