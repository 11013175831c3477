// Takes each control of SECURITY.md out, one at a time in a copy of the tree, and demands that the test named for it fails:
// npm run prove:security -- [part of a test's file or title …]
import fs from 'node:fs'
import path from 'node:path'
import { proofs } from './controls/all.ts'
import { unproven } from './controls/named.ts'
import { tryAll } from './mutation/try-all.ts'

const wanted = process.argv.slice(2)
const tasks = Object.entries(proofs)
  .flatMap(([test, titles]) => Object.entries(titles).map(([title, mutation]) => ({ test, title, mutation })))
  .filter(({ test, title }) => wanted.length === 0 || wanted.some((part) => `${test} ${title}`.includes(part)))
if (tasks.length === 0) throw new Error(`No control has ${wanted.join(' or ')} in its test’s file or title.`)
const survivors = await tryAll(tasks)
const { tests } = unproven(fs.readFileSync(path.join(import.meta.dirname, '../SECURITY.md'), 'utf8'))
if (tests.length > 0)
  process.stdout.write(`\n${tests.length} tests of SECURITY.md have no control here that is taken out:\n${tests.join('\n')}\n`)
process.exitCode = survivors.length > 0 ? 1 : 0
