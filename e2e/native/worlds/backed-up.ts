// A full backup of a world, held against the site it was made of.
import assert from 'node:assert/strict'
import { backUp } from '../../backup.ts'
import { archived } from './archived.ts'
import { isBelow, only, type Seen, same, seen, without } from './seen.ts'
import { below, type Paired, type World } from './world.ts'

/** An archive has no bits that would mean more where it is unpacked, and no groups. */
const plain = (all: Seen): Seen =>
  Object.fromEntries(
    Object.entries(all).map(([name, it]) => [
      name,
      name.startsWith('file ') ? it.replace(/^(folder )?\d(\d{3})\b/, '$1$2').replace(/ of \S+$/, '') : it,
    ]),
  )

/** The id of the backup, and what must be there when it was brought back. */
export async function backedUp(ground: Paired, world: World): Promise<{ id: string; back: Seen }> {
  const { omits = [], moving = [] } = world
  const was = await seen(ground)
  let isOver = false
  const work = backUp(ground.house, ground.one.site.id, 'full').finally(() => {
    isOver = true
  })
  await Promise.all([work, world.during?.(ground, () => isOver)])
  const backup = await work
  const named = backup.described.omissions.filter(({ why }) => why !== 'connector').map(({ path }) => path)
  const meant = [...omits, ...moving]
  const isOne = (path: string, name: string) => path === name || path.endsWith(`/${name}`)
  const unnamed = meant.filter((path) => !named.some((name) => isOne(path, name)))
  const unmeant = named.filter((name) => !meant.some((path) => isOne(path, name)))
  assert.deepEqual({ unnamed, unmeant }, { unnamed: [], unmeant: [] }, 'What the backup names as left out.')
  if (world.record) {
    const { roots, outside_count, omitted } = backup.listed
    const told = { roots: roots?.map(({ path }) => below(ground.place, path)), outside_count, database: omitted?.database ?? [] }
    assert.deepEqual(told, { database: [], ...world.record, outside_count: 0 }, 'What the record tells.')
  }
  const held = await archived(ground, backup, was)
  const back = { ...without(was, (name) => isBelow(name, omits)), ...only(held, moving) }
  // Folders above those of the site are no part of it.
  const isAbove = (name: string) => held[name] === undefined && Object.keys(held).some((each) => each.startsWith(`${name}/`))
  const isBeyond = (name: string) => isAbove(name) || isBelow(name, world.beyond)
  same(
    'in the archive',
    plain(without(back, isBeyond)),
    without(held, (name) => isBelow(name, omits)),
  )
  return { id: backup.listed.id, back }
}
