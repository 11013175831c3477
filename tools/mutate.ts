// Plants each fault of the list alone in a copy of the tree and demands that the tests beside it notice:
// npm run mutate -- [part of a test's file, a file or a text …]
import { faults } from './mutation/faults.ts'
import { tryAll } from './mutation/try-all.ts'

const wanted = process.argv.slice(2)
const tasks = faults
  .filter((fault) => wanted.length === 0 || wanted.some((part) => fault.join(' ').includes(part)))
  .map(([test, title, ...mutation]) => ({ test, title, mutation }))
if (tasks.length === 0) throw new Error(`No fault has ${wanted.join(' or ')} in its line.`)
const survivors = await tryAll(tasks)
process.exitCode = survivors.length > 0 ? 1 : 0
