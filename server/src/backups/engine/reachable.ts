import { readManifest } from './manifest.ts'
import { PackDamage } from './pack-format.ts'
import { type ReadBlob, type TreeNode, treeChildren } from './record-tree.ts'

/** Every blob a backup needs, its manifest included. Parts of trees in `seen` are passed over: backups share most of theirs. */
export async function* reachable(manifest: string, read: ReadBlob, seen: Set<string>): AsyncGenerator<string, void, undefined> {
  const { files, database } = await readManifest(manifest, read)
  yield manifest
  for (const nodes of [files?.nodes, files?.omissions, database?.nodes]) for (const node of nodes ?? []) yield* below(node, read, seen)
}

async function* below(node: TreeNode, read: ReadBlob, seen: Set<string>): AsyncGenerator<string, void, undefined> {
  if (seen.has(node.id)) return
  const text = Buffer.from(await read(node.id)).toString('utf8')
  yield node.id
  if (node.level > 0) for (const child of treeChildren(node, text)) yield* below(child, read, seen)
  else for (const line of text.split('\n')) if (line !== '') yield* namedIn(JSON.parse(line))
  seen.add(node.id)
}

/** The blobs that one record names: of a file, or of the ranges of a table; a record of something left out names none. */
function namedIn(record: { b?: unknown; ranges?: { blobs?: unknown }[] }): string[] {
  const lists = [record.b ?? [], ...(record.ranges ?? []).map((range) => range.blobs)]
  return lists.flatMap((list) => {
    if (!Array.isArray(list) || list.some((id) => typeof id !== 'string')) throw new PackDamage('a record names blobs in an unknown way')
    return list as string[]
  })
}
