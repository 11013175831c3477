import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupsOf, keyTiesOf } from './key-ties.ts'

const definition = (table: string, ...to: string[]) => ({
  table,
  create: [
    `CREATE TABLE \`${table}\` (\n  \`id\` int(11) COMMENT 'FOREIGN KEY REFERENCES \`d\` ('`,
    ...to.map((name, n) => `  CONSTRAINT \`k${n}\` FOREIGN KEY (\`id\`, \`b\`) REFERENCES ${name} (\`id\`, \`b\`) ON DELETE SET NULL`),
  ]
    .join(',\n')
    .concat('\n) ENGINE=InnoDB'),
})

test('tables are in one group where keys tie them, also by one that comes last or is not among them', () => {
  const all = [definition('a', '`c`', '`a`'), definition('b'), definition('c'), definition('d', '`q``x`'), definition('e', '`far`.`b`')]
  const ties = keyTiesOf([...all, definition('b', '`d`')])
  assert.deepEqual([...(ties.get('q`x') ?? [])], ['d'])
  assert.deepEqual(
    groupsOf(all, ties).map((group) => group.map(({ table }) => table)),
    [['a', 'c'], ['b', 'd'], ['e']],
  )
})

test('what only looks like a key ties nothing, however long a hacked site makes it', () => {
  const parts = ['  CONSTRAINT `k` FOREIGN KEY (`a`', ' FOREIGN KEY x REFERENCES `', '`, `', '``', '`a`, ', '`) REFERENCES `']
  for (const [head = '', ...tails] of [parts, ['  CONSTRAINT x', ...parts]])
    for (const tail of tails) {
      const create = `${head}${tail.repeat(Math.ceil((512 * 1024) / tail.length))}`
      assert.equal(keyTiesOf([{ table: 'a', create }]).size, 0, tail)
    }
  const create = '  CONSTRAINT x FOREIGN KEY y REFERENCES `b` (`id`)'
  assert.equal(keyTiesOf([{ table: 'a', create }]).size, 0)
})
