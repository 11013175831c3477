import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, switches, valued } from './arguments.ts'
import { usage } from './describe.ts'
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

test('bytes are given by the name of their file, which a shell can pass on, and in base64 all the same', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-arguments-'))
  try {
    const file = join(folder, 'logo.png')
    const bytes = Buffer.alloc(200 * 1024, 'logo')
    writeFileSync(file, bytes)
    const entry = manifest.operations.find(({ name }) => name === 'clients.set') ?? assert.fail()
    const logo = (value: string) => parse(entry, ['Ann', '--logo', value]).input.logo
    assert.equal(logo(`@${file}`), bytes.toString('base64'))
    assert.equal(logo('AAAA'), 'AAAA')
    assert.equal(logo(''), '')
    assert.throws(() => logo(`@${file}.gone`), { message: `--logo: ${file}.gone cannot be read.` })
    assert.match(usage(entry), /\[--logo @FILE\]/)
    assert.equal(parse(entry, ['Ann', '--name', '@home']).input.name, '@home')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

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

const entryOf = (name: string) => manifest.operations.find((entry) => entry.name === name) ?? assert.fail(name)
const mistakes: [string, string[], RegExp][] = [
  ['backups.create', ['garden', '--type', 'db', '--type', 'full'], /^--type is given twice/],
  ['restores.create', ['garden', 'backup_1', '--dry-run', '--no-dry-run'], /^--dry-run is given twice/],
  ['restores.create', ['garden', 'backup_1', '--dry-run=yes'], /--dry-run=yes is not understood/],
  ['restores.create', ['garden', 'backup_1', '--dryrun'], /--dryrun is not understood/],
  ['restores.create', ['garden', 'backup_1', '-dry-run'], /-dry-run is not understood/],
  ['restores.create', ['garden', 'backup_1', '--DRY-RUN'], /--DRY-RUN is not understood/],
  ['restores.create', ['garden', 'backup_1', 'dry_run'], /one word too many/],
  ['restores.create', ['garden', 'backup_1', '--wait=false'], /--wait=false is not understood/],
  ['restores.create', ['garden', 'backup_1', '--wait', '--wait'], /^--wait is given twice/],
  ['sites.get', ['garden', '--site-id', 'meadow'], /one word too many|given twice/],
  ['sites.get', ['--site-id', 'garden', '--site-id', 'meadow'], /^--site-id is given twice/],
  ['sites.list', ['--wait'], /--wait is not understood/],
  ['sites.list', ['--force'], /--force is not understood/],
  ['sites.list', ['--output', 'file'], /--output is not understood/],
  ['sites.get', ['garden', '--all'], /--all is not understood/],
  ['sites.list', ['-xjson'], /-xjson is not understood/],
  ['sites.list', ['--limit', '0x10'], /--limit needs a number/],
  ['sites.list', ['--limit', '1e3'], /--limit needs a number/],
  ['sites.list', ['--timeout', 'Infinity'], /--timeout needs a number/],
  ['sites.list', ['--timeout', '5', '--timeout', '6'], /^--timeout is given twice/],
]
for (const [name, words, told] of mistakes)
  test(`svc ${commandOf(entryOf(name))} ${words.join(' ')} is refused before anything is sent`, () => {
    assert.throws(
      () => parse(entryOf(name), words),
      ({ message, exit }: { message: string; exit: number }) => {
        assert.match(message, told)
        assert.equal(exit, 2)
        return true
      },
    )
  })

test('a flag of a few other commands is named with them, one of many commands is not', () => {
  const detailsOf = (flag: string) => {
    try {
      parse(entryOf('updates.apply'), ['garden', flag], manifest.operations)
    } catch (error) {
      return (error as { details: string[] }).details.join(' ')
    }
    return assert.fail('it is understood')
  }
  assert.match(detailsOf('--every-site'), /--every-site is a flag of svc rollouts start, svc backups create, svc tweaks apply\./)
  assert.doesNotMatch(detailsOf('--limit=5'), /is a flag of/)
  assert.doesNotMatch(detailsOf('--plugin'), /is a flag of/, 'what is nearly right is told alone')
})

test('a list is given by giving it several times', () => {
  const { input } = parse(entryOf('restores.create'), ['garden', 'backup_1', '--include', 'table:a', '--include', 'table:b'])
  assert.deepEqual(input.include, ['table:a', 'table:b'])
})
