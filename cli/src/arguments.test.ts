import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { parse, switches, valued } from './arguments.ts'
import { commandOf, flagOf, jobReader, loadManifest } from './manifest.ts'

const manifest = loadManifest()

/** The words a shell makes of a command. */
const wordsOf = (command: string) =>
  execFileSync('sh', ['-c', `svc() { printf '%s\\n' "$@"; }; ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

for (const entry of manifest.operations) {
  test(`the example of ${entry.name}, typed into a shell, is read as it was meant`, () => {
    const [noun, verb, ...rest] = wordsOf(entry.command)
    assert.equal(`${noun} ${verb}`, commandOf(entry))
    assert.deepEqual(parse(entry, rest).input, entry.example)
  })

  test(`${entry.name} has no field that reads like an option of svc`, () => {
    const own = [...switches, ...valued].map(String)
    assert.deepEqual(
      Object.keys(entry.input.properties ?? {}).filter((field) => own.includes(field) || field.startsWith('no_')),
      [],
    )
  })
}

test('no two operations have the same command', () => {
  assert.equal(new Set(manifest.operations.map(commandOf)).size, manifest.operations.length)
})

test('the contract says how a job is looked at, so that --wait works', () => {
  const reader = jobReader(manifest)
  assert.ok(reader)
  assert.deepEqual(
    ['status', 'phase', 'progress', 'error'].filter((field) => !reader.output?.properties?.[field]),
    [],
  )
  assert.equal(flagOf('job_id'), '--job-id')
})
