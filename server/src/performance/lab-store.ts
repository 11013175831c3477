import { sql } from 'kysely'
import type { Running } from '../kernel/job.ts'
import { utc } from '../sites/store.ts'
import type { DatedDb, Db, Here } from '../world.ts'
import type { LabSample } from './schema.ts'

/** One for each job, however often it is tried. */
export async function insertLab(
  { db, workspaceId, now }: Here,
  { id, siteId }: Pick<Running, 'id' | 'siteId'>,
  lab: Measured,
): Promise<void> {
  await sql`INSERT INTO lab_samples (workspace_id, id, site_id, collected_at, url, score, fcp_ms, lcp_ms, cls, tbt_ms, runs, lighthouse, chromium, benchmark_index,
      machine, pressure, discarded)
    VALUES (${workspaceId}, ${id.replace(/^job_/, 'lab_')}, ${siteId}, ${now()}, ${lab.url}, ${lab.score}, ${lab.fcp_ms}, ${lab.lcp_ms}, ${lab.cls}, ${lab.tbt_ms},
      ${JSON.stringify(lab.runs)}, ${lab.lighthouse}, ${lab.chromium}, ${lab.benchmark_index}, ${lab.machine}, ${lab.pressure}, ${lab.discarded})
    ON CONFLICT DO NOTHING`.execute(db)
}
export type Measured = Omit<LabSample, 'id' | 'site_id' | 'source' | 'collected_at'> & { machine: string; pressure: number | null }

/** Of each site since a time, oldest first; those that were discarded too. */
export async function listLabs({ db, workspaceId }: Db, siteIds: string[], since: Date): Promise<Map<string, LabSample[]>> {
  const { rows } =
    await sql<LabSample>`SELECT id, site_id, 'lab' AS source, ${utc('l.collected_at')} AS collected_at, url, score, fcp_ms, lcp_ms, cls, tbt_ms, runs,
      lighthouse, chromium, benchmark_index, discarded FROM lab_samples l
    WHERE l.workspace_id = ${workspaceId} AND l.site_id = ANY(${siteIds}) AND l.collected_at >= ${since} ORDER BY l.collected_at, l.id`.execute(
      db,
    )
  const labs = new Map<string, LabSample[]>()
  for (const { runs, ...lab } of rows) {
    const whole = { ...lab, runs: runs.map((run) => ({ ...run, fcp_ms: run.fcp_ms ?? null })) }
    labs.set(lab.site_id, [...(labs.get(lab.site_id) ?? []), whole])
  }
  return labs
}

/** A machine may become a slower one for good. */
const rememberedDays = 60

/** How fast this machine was the last times that it had nothing else to do, newest first. */
export async function listBenchmarks({ db, workspaceId, now }: DatedDb, machine: string): Promise<number[]> {
  const { rows } = await sql<{ benchmark_index: number }>`SELECT benchmark_index FROM lab_samples
    WHERE workspace_id = ${workspaceId} AND machine = ${machine} AND discarded IS NULL
      AND collected_at > ${now()}::timestamptz - make_interval(days => ${rememberedDays}) ORDER BY collected_at DESC LIMIT 20`.execute(db)
  return rows.map(({ benchmark_index }) => benchmark_index)
}
