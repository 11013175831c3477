// The end of a backup: its list is written, and from then on it counts.
import { logEvent } from '../activity/service.ts'
import type { Hello } from '../connector/commands.ts'
import { LostJob, type Running } from '../kernel/job.ts'
import type { Target } from '../sites/talk.ts'
import type { Here } from '../world.ts'
import { blobReader } from './blobs.ts'
import { nextInChain, writeLink } from './chain.ts'
import { countsOf } from './counts.ts'
import { type DatabasePart, type FilesPart, MANIFEST_FORMAT, type Manifest, writeManifest } from './engine/manifest.ts'
import type { Packer } from './engine/packer.ts'
import { hindrancesOf } from './hindrances.ts'
import type { Plan } from './increments.ts'
import { notesOf, resultOf, summaryOf } from './outcome.ts'
import { sharing } from './prune-store.ts'
import type { Backup } from './schema.ts'
import { completeBackup, findBackup } from './store.ts'
import { logSuspicion, suspicionOf } from './suspicion.ts'

/** What was pulled, and from where. */
export interface Pulled {
  backup_id: string
  type: Backup['type']
  site: Target
  hello: Hello
  files: FilesPart | null
  database: DatabasePart | null
  plan: Plan
}

/** All of it is durable before the backup is called completed, and only the current attempt may call it so. */
export async function finishBackup(here: Here, job: Running, packer: Packer, pulled: Pulled) {
  const { backup_id, type, site } = pulled
  const chain = await nextInChain(here)
  const manifest = await manifestOf(here, job, pulled, chain)
  const id = await writeManifest(manifest, (bytes) => packer.add('manifest', bytes))
  await packer.flush()
  const counts = await countsOf(manifest, await blobReader(here, here.workspaceId))
  const stored_bytes = packer.totals.storedBytes
  await writeLink(here, chain, backup_id)
  await here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    await sharing(within)
    const doubt = await suspicionOf(within, site.id, counts)
    const facts = { manifest: id, stored_bytes, suspect: doubt !== null, ...counts }
    if (!(await completeBackup(within, backup_id, job, facts))) throw new LostJob('a newer attempt has taken over')
    const event = {
      siteId: site.id,
      category: 'backup' as const,
      summary: summaryOf(type),
      ...notesOf(counts),
      jobId: job.id,
      by: job.requestedBy,
      internal: false,
    }
    await logEvent(within, event)
    if (doubt !== null) await logSuspicion(within, job, doubt)
  })
  return resultOf({ id: backup_id, type, stored_bytes, ...counts })
}

async function manifestOf(here: Here, job: Running, pulled: Pulled, chain: number): Promise<Manifest> {
  const { backup_id, type, site, hello, files, database, plan } = pulled
  const row = await findBackup(here, site.id, backup_id)
  return {
    format: MANIFEST_FORMAT,
    workspace: here.workspaceId,
    site: site.id,
    backup: backup_id,
    parent: plan.parent?.id ?? null,
    type,
    started_at: plan.started_at,
    finished_at: here.now().toISOString(),
    facts: {
      url: site.url,
      home: hello.home_url,
      wp_version: hello.wp_version,
      php_version: hello.php_version,
      connector_version: hello.connector_version,
      site_time: plan.site_time,
      increment: plan.increment,
      chain,
      ...hindrancesOf(hello),
      // So that the row can be made again from the store alone.
      trigger: row?.trigger ?? 'manual',
      job_id: job.id,
    },
    files,
    database,
  }
}
