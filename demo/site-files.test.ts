import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { configFile, copyPlugins, documentRootOf, readState, writeConfig, writeState } from './site-files.ts'

let dir: string
let source: string
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'site-files-'))
  source = join(dir, 'source', 'notices')
  await mkdir(join(source, 'inc'), { recursive: true })
  await mkdir(join(documentRootOf(dir), 'wp-content', 'plugins'), { recursive: true })
  await writeFile(join(source, 'notices.php'), 'one')
  await writeFile(join(source, 'inc', 'old.php'), 'old')
})
after(() => rm(dir, { recursive: true }))

const installed = (path: string) => readFile(join(documentRootOf(dir), 'wp-content', 'plugins', 'notices', path), 'utf8')

test('a plugin is copied once, so an update made inside the site stays', async () => {
  const state = readState(dir, 'secret')
  assert.deepEqual(await copyPlugins(dir, [source], state), ['notices'])
  await writeFile(join(documentRootOf(dir), 'wp-content', 'plugins', 'notices', 'notices.php'), 'updated inside')
  assert.deepEqual(await copyPlugins(dir, [source], state), [])
  assert.equal(await installed('notices.php'), 'updated inside')
})

test('a plugin whose source has changed is replaced as a whole', async () => {
  const state = readState(dir, 'secret')
  await copyPlugins(dir, [source], state)
  await writeFile(join(source, 'notices.php'), 'two')
  await rm(join(source, 'inc'), { recursive: true })
  assert.deepEqual(await copyPlugins(dir, [source], state), ['notices'])
  assert.equal(await installed('notices.php'), 'two')
  await assert.rejects(installed('inc/old.php'), /ENOENT/)
})

test('password and salts of the first start stay, and only their owner can read them', async () => {
  const first = readState(dir, 'first')
  await writeState(dir, first)
  assert.deepEqual(readState(dir, 'second'), first)
  assert.equal((await stat(join(dir, 'site.json'))).mode & 0o777, 0o600)
})

test('constants given to the site win over the usual ones', async () => {
  await writeConfig(dir, 'http://127.0.0.1:1', readState(dir, 'x'), { WP_DEBUG: true, MINE: 3 })
  const text = await readFile(join(documentRootOf(dir), 'wp-config.php'), 'utf8')
  assert.match(text, /define\( 'WP_DEBUG', true \);/)
  assert.match(text, /define\( 'MINE', 3 \);/)
})

test('a text cannot break out of its quotes in wp-config.php', () => {
  assert.match(configFile({ NAME: "it's \\' here" }), /^define\( 'NAME', 'it\\'s \\\\\\' here' \);$/m)
})
