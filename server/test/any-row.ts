// Rows with any value of any type MariaDB has.
import fc from 'fast-check'

type Literal = fc.Arbitrary<string>

const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&').replaceAll('\0', '\\0').replaceAll('\u001a', '\\Z')}'`
const text = (most: number): Literal => fc.string({ unit: 'binary', maxLength: most }).map(quoted)
const latin = (most: number): Literal =>
  fc
    .string({
      unit: fc
        .integer({ min: 1, max: 255 })
        .filter((c) => c < 128 || c > 159)
        .map((c) => String.fromCharCode(c)),
      maxLength: most,
    })
    .map(quoted)
const bytes = (most: number): Literal =>
  fc.uint8Array({ maxLength: most }).map((all) => (all.length === 0 ? "''" : `0x${Buffer.from(all).toString('hex')}`))
const whole = (min: bigint, max: bigint): Literal =>
  fc.oneof({ weight: 1, arbitrary: fc.constantFrom(min, max, 0n) }, { weight: 4, arbitrary: fc.bigInt({ min, max }) }).map(String)
const signed = (bits: bigint) => whole(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n)
const digits = (many: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: many })
const decimal = (before: number, behind: number): Literal =>
  fc.tuple(fc.constantFrom('', '-'), digits(before), digits(behind)).map(([sign, a, b]) => `${sign}${a}.${b}`)
const float = fc.float({ noNaN: true, noDefaultInfinity: true }).map((n) => n.toExponential())
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n.toExponential())
const moment = (from: string, to: string): Literal =>
  fc
    .tuple(fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }), fc.integer({ min: 0, max: 999 }))
    .map(([date, micro]) => {
      return `'${date.toISOString().replace('T', ' ').replace('Z', String(micro).padStart(3, '0'))}'`
    })
const time = fc
  .tuple(fc.constantFrom('', '-'), fc.integer({ min: 0, max: 838 }), fc.nat(59), fc.nat(59), fc.nat(999_999))
  .map(([sign, h, m, s, micro]) => `'${sign}${h}:${m}:${s}.${String(micro).padStart(6, '0')}'`)
const place = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })
const point = fc.tuple(place, place).map(([x, y]) => `POINT(${x} ${y})`)
const line = fc
  .array(fc.tuple(place, place), { minLength: 2, maxLength: 5 })
  .map((all) => `LINESTRING(${all.map((p) => p.join(' ')).join(',')})`)
const shape = (of: fc.Arbitrary<string>): Literal => of.map((wkt) => `ST_GeomFromText('${wkt}')`)
const hex = (many: number) => fc.uint8Array({ minLength: many, maxLength: many }).map((all) => Buffer.from(all).toString('hex'))

/** Definition of each column, and what it may hold. */
const COLUMNS: [string, Literal][] = [
  ['tinyint', signed(8n)],
  ['smallint unsigned', whole(0n, 65_535n)],
  ['mediumint', signed(24n)],
  ['int(8) unsigned zerofill', whole(0n, 4_294_967_295n)],
  ['bigint', signed(64n)],
  ['bigint unsigned', whole(0n, 2n ** 64n - 1n)],
  ['boolean', fc.constantFrom('0', '1')],
  ['decimal(65,30)', decimal(35, 30)],
  ['decimal(10,2) unsigned', digits(8)],
  ['float', float],
  ['double', double],
  ['bit(1)', fc.constantFrom("b'0'", "b'1'")],
  ['bit(64)', whole(0n, 2n ** 64n - 1n)],
  ['year', fc.integer({ min: 1901, max: 2155 }).map(String)],
  ['date', fc.oneof(fc.constantFrom("'0000-00-00'", "'2026-00-00'"), moment('1000-01-01', '9999-12-31'))],
  ['datetime(6)', fc.oneof(fc.constant("'0000-00-00'"), moment('1000-01-01', '9999-12-31'))],
  ['timestamp(6) NULL', fc.oneof(fc.constant("'0000-00-00'"), moment('1970-01-02', '2038-01-18'))],
  ['time(6)', time],
  ['char(30)', text(15)],
  ['varchar(60)', text(30)],
  ['varchar(60) CHARACTER SET latin1', latin(60)],
  ['varchar(60) CHARACTER SET ucs2', latin(60)],
  ['tinytext', text(60)],
  ['text', text(600)],
  ['mediumtext', text(600)],
  ['longtext COLLATE utf8mb4_bin', text(600)],
  ['binary(8)', bytes(8)],
  ['varbinary(60)', bytes(60)],
  ['tinyblob', bytes(255)],
  ['blob', bytes(900)],
  ['longblob', bytes(900)],
  ["enum('', 'a', 'b''c', 'ü')", fc.constantFrom("''", "'a'", "'b\\'c'", "'ü'")],
  ["set('x', 'y', 'z')", fc.subarray(['x', 'y', 'z']).map((all) => `'${all.join()}'`)],
  ['json', fc.json().map(quoted)],
  ['geometry', shape(fc.oneof(point, line))],
  ['point', shape(point)],
  ['uuid', hex(16).map((all) => `'${all}'`)],
  ['inet6', hex(16).map((all) => `'${all.match(/.{4}/g)?.join(':')}'`)],
  ['inet4', fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((all) => `'${all.join('.')}'`)],
]

/** What WordPress's SQLite driver does not know; and doubles, which SQLite itself reads wrong by their last bit when they are extreme. */
const MYSQL_ONLY = /^(double|geometry|point|uuid|inet)/

type Kinds = 'mariadb' | 'sqlite'
const columnsOf = (kinds: Kinds) => COLUMNS.filter(([type]) => kinds === 'mariadb' || !MYSQL_ONLY.test(type))

/** All of a table but its key: `c0 tinyint, c1 …`. */
export const anyColumns = (kinds: Kinds = 'mariadb'): string =>
  columnsOf(kinds)
    .map(([type], n) => `c${n} ${type}`)
    .join(', ')

/** Literals for these columns, each of them possibly NULL: so many rows, the same for the same seed. */
export function anyRows(many: number, seed: number, kinds: Kinds = 'mariadb'): string[] {
  const literals = columnsOf(kinds).map(([, literal]) =>
    fc.oneof({ weight: 9, arbitrary: literal }, { weight: 1, arbitrary: fc.constant('NULL') }),
  )
  return fc.sample(
    fc.tuple(...literals).map((values) => values.join(', ')),
    { numRuns: many, seed },
  )
}
