import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rowShape, UnknownRows } from './insert-grammar.ts'
import { addRow, InsertReader, noRows, sameRows } from './insert-rows.ts'

const read = (sql: string | Buffer, columns = ['a', 'b'], cut = Number.POSITIVE_INFINITY) => {
  const rows: string[] = []
  const shape = rowShape({ name: 't', columns: columns.map((name) => ({ name, generated: false })) })
  const reader = new InsertReader(shape, (row) => rows.push(Buffer.from(row).toString('latin1')))
  const bytes = Buffer.from(sql)
  for (let at = 0; at < bytes.length; at += cut) reader.push(bytes.subarray(at, Math.min(bytes.length, at + cut)))
  reader.end()
  return rows
}
const HEAD = 'INSERT INTO `t` (`a`,`b`) VALUES '

test('each row comes out as the client prints it, wherever the pieces end', () => {
  const sql = `${HEAD}(1,'x'),(-2.5e+10,NULL);\n${HEAD}('a\\'b\\\\c\\n\\0\\r\\Z\td,(',0x00fF),(0x1,-0e0);\n`
  const rows = ['1\tx', '-2.5e+10\tNULL', "a'b\\\\c\\n\\0\r\x1a\\td,(\t00FF", '1\t-0']
  for (const cut of [1, 2, 7, 1000]) assert.deepEqual(read(sql, ['a', 'b'], cut), rows)
  assert.deepEqual(read('INSERT INTO `t` (`o``d;d`) VALUES (1);\n', ['o`d;d']), ['1'])
})

test('any text comes out as the client writes it', () => {
  const escapes: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\0': '\\0', '\n': '\\n', '\r': '\\r', '\x1a': '\\Z' }
  const printed: Record<string, string> = { '\\': '\\\\', '\0': '\\0', '\n': '\\n', '\t': '\\t' }
  const map = (text: string, by: Record<string, string>) => [...text].map((character) => by[character] ?? character).join('')
  const texts = fc.array(fc.string({ unit: fc.constantFrom('\\', "'", '\0', '\n', '\r', '\t', '\x1a', 'a', 'é', ',', ')', ';') }), {
    minLength: 1,
  })
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (values, cut) => {
      const sql = `INSERT INTO \`t\` (\`a\`) VALUES ${values.map((value) => `('${map(value, escapes)}')`).join(',')};\n`
      const rows = read(sql, ['a'], cut).map((row) => Buffer.from(row, 'latin1').toString('utf8'))
      assert.deepEqual(
        rows,
        values.map((value) => map(value, printed)),
      )
    }),
  )
})

test('what is not an INSERT of this table is not taken for rows', () => {
  const not = [
    'DROP TABLE t;\n',
    'INSERT INTO `u` (`a`,`b`) VALUES (1,2);\n',
    `${HEAD}(1,2);DROP TABLE t;\n`,
    `${HEAD}(1,2); \n`,
    `${HEAD}(1,2)\n`,
    `${HEAD}(1,2);`,
    `${HEAD}(1);\n`,
    `${HEAD}(1,2,3);\n`,
    `${HEAD}(1,(SELECT 1));\n`,
    `${HEAD}(1,LOAD_FILE('/etc/passwd'));\n`,
    `${HEAD}(1,'a' 'b');\n`,
    `${HEAD}(1,'a''b');\n`,
    `${HEAD}(1,'a);\n`,
    `${HEAD}(1,'a\0');\n`,
    `${HEAD}(1,'a\r');\n`,
    `${HEAD}(1,'\x1a');\n`,
    `${HEAD}(1,'a\n');\n`,
    `${HEAD}(1,'a\\');\\! id #');\n`,
    `${HEAD}(1,);\n`,
    `${HEAD}(1,0x);\n`,
    `${HEAD}(1,1.);\n`,
    `${HEAD}(1,-);\n`,
    `${HEAD}(1,1e);\n`,
    `${HEAD}(1,NUL);\n`,
    `${HEAD}(1,nULL);\n`,
    `${HEAD}(1,0x1 2);\n`,
    `${HEAD};\n`,
    '\n',
    `${HEAD}(1,'a\\%');\n`,
    `${HEAD}(1,2) ON DUPLICATE KEY UPDATE a=1;\n`,
    `${HEAD}(1,2),;\n`,
    '\\! rm -rf /\n',
  ]
  for (const sql of not) assert.throws(() => read(sql), UnknownRows, sql)
})

test('the sum of rows knows no order, and tells a row that is there twice from none', () => {
  const sum = (...rows: string[]) => {
    const all = noRows()
    for (const row of rows) addRow(all, Buffer.from(row))
    return all
  }
  assert.ok(sameRows(sum('a', 'b', 'c'), sum('c', 'a', 'b')))
  assert.ok(!sameRows(sum('a', 'b', 'b'), sum('a', 'c', 'c')))
  assert.ok(!sameRows(sum('a'), sum('a', 'a')))
})
