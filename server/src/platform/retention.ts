import { sql } from 'kysely'
import type { Duty, Retention } from '../kernel/capability.ts'
import type { Kernel } from '../kernel/context.ts'

const dayMs = 86_400_000
const rowsAtOnce = 1000

/** The duty that lets go what nobody needs any more, in small portions. */
export function retentionDuty<World extends Pick<Kernel, 'db' | 'now'> & { stopping: AbortSignal }>(
  rules: readonly Retention[],
): Duty<World> {
  return {
    name: 'let go',
    everyMs: 3_600_000,
    async run(world) {
      for (const rule of rules) while (!world.stopping.aborted && (await letGo(world, rule)) === rowsAtOnce);
    },
  }
}

async function letGo({ db, now }: Pick<Kernel, 'db' | 'now'>, { table, at, days }: Retention): Promise<number> {
  const before = new Date(now().getTime() - days * dayMs)
  const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)} WHERE ctid IN
    (SELECT ctid FROM ${sql.table(table)} WHERE ${sql.ref(at)} < ${before} LIMIT ${rowsAtOnce} FOR UPDATE SKIP LOCKED)`.execute(db)
  return Number(numAffectedRows)
}
