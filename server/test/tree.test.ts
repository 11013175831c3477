import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { digestTree, makeTree, mutateTree } from './tree.ts'
import { planTree, WHOLE } from './tree-plan.ts'

const MEGABYTES = 12
let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-test-tree-'))
})
after(() => rm(root, { recursive: true }))

test('the same tree comes out every time, another day changes it, and one file changes without a sign', async () => {
  const [one, other] = [join(root, 'one'), join(root, 'other')]
  for (const folder of [one, other]) await makeTree(folder, MEGABYTES)
  const [made, again] = [await digestTree(one), await digestTree(other)]
  assert.deepEqual(made, again)
  assert.equal(made.links, 1)

  const before = await contents(one)
  const { silent } = await mutateTree(one, MEGABYTES, 1)
  await mutateTree(other, MEGABYTES, 1)
  const changed = await digestTree(one)
  assert.notEqual(changed.digest, made.digest)
  assert.deepEqual(await digestTree(other), changed, 'a day is the same day everywhere')
  const was = before.get(silent)
  const is = (await contents(one)).get(silent)
  assert.ok(was && is)
  assert.deepEqual([is.length, is.equals(was)], [was.length, false])
})

test('names that a restore gets wrong are in it', async () => {
  const folder = join(root, 'names')
  await makeTree(folder, MEGABYTES)
  const names = await readdir(join(folder, 'wp-content/uploads/odd'))
  const twins = names.filter((name) => name.normalize('NFC') === 'caf\u00e9 composed.txt')
  assert.equal(twins.length, 2)
  for (const wanted of ['-rf', 'line\nbreak.txt', 'Case.txt', 'case.txt', 'empty', 'empty-folder', 'link'])
    assert.ok(names.includes(wanted), wanted)
  assert.ok(names.some((name) => Buffer.byteLength(name) === 244))
})

test('the whole plan has the files and folders of a site of 1 GB', () => {
  const { files, dump, folders } = planTree(1)
  const below = [...files.map(({ path }) => path), dump.path, ...folders.map((path) => `${path}/-`)]
  const all = new Set(below.flatMap((path) => path.split('/').map((_part, i, parts) => parts.slice(0, i).join('/'))))
  assert.equal(files.length + 2, WHOLE.files, 'with the dump and the recording')
  assert.equal(all.size - 1, WHOLE.folders)
  assert.equal(new Set(files.map(({ path }) => path)).size, files.length)
})

async function contents(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const)))
}
