import assert from 'node:assert/strict'
import { CompiledQuery, type Kysely, type KyselyPlugin, PostgresQueryCompiler, sql } from 'kysely'

export type Ask = (db: Kysely<unknown>) => Promise<unknown>

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

interface Explained {
  'QUERY PLAN': { Plan: Plan }[]
}

/**
 * How many rows the statements of `ask` read, on one connection, and taken back; by PostgreSQL's EXPLAIN (ANALYZE).
 * None of them may read a table from its first row to its last when that is more than `mostOfTable` rows.
 */
export async function rowsRead(db: Kysely<unknown>, ask: Ask, mostOfTable = Number.POSITIVE_INFINITY): Promise<number> {
  const statements: { text: string; parameters: unknown[] }[] = []
  const compiler = new PostgresQueryCompiler()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const { sql: text, parameters } = compiler.compileQuery(node, queryId)
      statements.push({ text, parameters: [...parameters] })
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await takenBack(db, () => ask(db.withPlugin(plugin)))
  let rows = 0
  for (const { text, parameters } of statements)
    await takenBack(db, async () => {
      const explained = await db.executeQuery<Explained>(CompiledQuery.raw(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, parameters))
      rows += rowsOf(explained.rows[0]?.['QUERY PLAN'][0]?.Plan ?? assert.fail('There is no plan.'), text, mostOfTable)
    })
  assert.ok(statements.length > 0)
  return rows
}

async function takenBack(db: Kysely<unknown>, act: () => Promise<unknown>): Promise<void> {
  await sql`BEGIN`.execute(db)
  await act().finally(() => sql`ROLLBACK`.execute(db))
}

function rowsOf(plan: Plan, text: string, mostOfTable: number): number {
  const table = plan['Relation Name']
  const own = table === undefined ? 0 : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
  assert.ok(plan['Node Type'] !== 'Seq Scan' || own <= mostOfTable, `${own} rows, all of ${table}, are read by ${text}`)
  return (plan.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner, text, mostOfTable), own)
}
