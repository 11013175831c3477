import pg from 'pg'
import { openDatabase } from '../src/platform/open-database.ts'

const dataDir = process.argv[2] ?? ''
const { address } = await openDatabase({ url: undefined, dataDir, role: 'service', log: { warn() {}, debug() {} } })
if (!('socketDir' in address)) throw new Error('an embedded database was expected')
const client = new pg.Client({ host: address.socketDir, user: 'postgres', database: 'postgres' })
await client.connect()
await client.query('create table if not exists numbers (n int primary key)')
const { rows } = await client.query('select coalesce(max(n), 0)::int as last from numbers')
for (let next = rows[0].last + 1; ; next++) {
  await client.query('insert into numbers values ($1)', [next])
  process.stdout.write(`${next}\n`)
}
