// Which tables foreign keys tie to each other, as their definitions tell it.

type Definition = { table: string; create: string }
/** Of each table those it refers to and those that refer to it. */
export type KeyTies = ReadonlyMap<string, ReadonlySet<string>>

const NAME = '`(?:[^`\\n]|``)+`'
/** As the database writes one. Nothing in it can be read in two ways: a hacked site may send half a MiB that nearly is one. */
const KEY = new RegExp(`^ {2}CONSTRAINT ${NAME} FOREIGN KEY \\(${NAME}(?:, ${NAME})*\\) REFERENCES (${NAME}) \\(`, 'gm')

/** A table may have several definitions: the backup's and the site's. */
export function keyTiesOf(definitions: Iterable<Definition>): KeyTies {
  const ties = new Map<string, Set<string>>()
  const tie = (one: string, other: string) => ties.set(one, (ties.get(one) ?? new Set()).add(other))
  for (const { table, create } of definitions) {
    for (const [, name = ''] of create.matchAll(KEY)) {
      const referenced = name.slice(1, -1).replaceAll('``', '`')
      if (referenced === table) continue
      tie(table, referenced)
      tie(referenced, table)
    }
  }
  return ties
}

/** What is tied, over however many steps, is in one group. */
export function groupsOf<Each extends { table: string }>(all: Each[], ties: KeyTies): Each[][] {
  const left = new Map(all.map((each) => [each.table, each]))
  return all.flatMap(({ table }) => {
    const group: Each[] = []
    const queue = [table]
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const each = left.get(name)
      if (!each || !left.delete(name)) continue
      group.push(each)
      queue.push(...(ties.get(name) ?? []))
    }
    return group.length > 0 ? [group] : []
  })
}
