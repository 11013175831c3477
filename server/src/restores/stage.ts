// Laying everything ready on the site, beside what is live.

import { pathBytes } from '../connector/site-text.ts'
import type { Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { plainWord } from '../kernel/site-said.ts'
import type { SiteClient } from '../sites/client.ts'
import { sentence } from './left.ts'
import type { Content } from './plan.ts'
import type { TablePlan } from './table-plan.ts'
import { type Claim, Uploader } from './upload.ts'
import type { Source, WholePlan } from './whole-plan.ts'

const budget_ms = 6_000
// Digests are 64 characters, and a request of them below 64 KB in an envelope too.
const askAtOnce = 600

interface Staging {
  job: Running
  site: SiteClient
  claim: Claim
  uploader: Uploader
  source: Source
}

/** Files, rows and plan are on the site when this returns, and what is there is what was sent. Tells what will not be as it was. */
export async function stage(job: Running, site: SiteClient, source: Source, plan: WholePlan): Promise<string[]> {
  const claim: Claim = { job: job.id, fence: job.fence }
  const tables = plan.tables ?? []
  const names = tables.map(({ name }) => name)
  // Those that go have names and no definition.
  const events = [...plan.events.map(({ name }) => name), ...plan.goneEvents]
  const { id } = await site.ask('restore.begin', {
    ...claim,
    files: plan.files !== null,
    tables: names,
    extra: plan.extra,
    ...(plan.views.length > 0 ? { views: plan.views.map(({ name }) => name) } : {}),
    ...(events.length > 0 ? { events } : {}),
    bytes: plan.bytes,
  })
  let bytes = 0
  const uploader = new Uploader(site, claim, async (sent) => {
    bytes += sent
    const percent = plan.bytes === 0 ? null : Math.min(99, Math.floor((100 * bytes) / plan.bytes))
    await job.progress({ percent, done: bytes, total: plan.bytes, unit: 'bytes', bytes })
  })
  const staging = { job, site, claim, uploader, source }
  try {
    if (plan.files) {
      await job.phase('stage-files')
      await sendContents(staging, plan.files.contents)
    }
    if (tables.length > 0) await job.phase('stage-db')
    for (const [n, table] of tables.entries()) await stageTable(staging, { n, table, id })
    for (const [n, { name, create }] of plan.views.entries())
      await site.ask('restore.load', { ...claim, n, table: name, create, columns: [], size: 0, view: true, budget_ms })
    for (const [n, event] of plan.events.entries())
      await site.ask('restore.load', { ...claim, n, table: event.name, create: '', columns: [], size: 0, event, budget_ms })
    const lines = (plan.files?.ops ?? []).map((op) => `${JSON.stringify(op)}\n`)
    return await settlePlan(site, claim, await uploader.bytes(Buffer.from(lines.join(''))))
  } finally {
    await uploader.stop()
  }
}

async function sendContents({ site, claim, uploader, source }: Staging, contents: Content[]): Promise<void> {
  for (let at = 0; at < contents.length; at += askAtOnce) {
    const some = contents.slice(at, at + askAtOnce)
    const { have } = await site.ask('restore.have', { ...claim, items: some.map(({ sha256 }) => sha256) })
    for (const [index, content] of some.entries()) if (have[index] !== true) await uploader.content(content, source.read)
  }
  await uploader.settle()
}

/** Sends, loads and reads back one table; an earlier attempt may have done it. */
async function stageTable(
  { job, site, claim, uploader, source }: Staging,
  { n, table, id }: { n: number; table: TablePlan; id: string },
): Promise<void> {
  const step = `table ${table.name}`
  const before = (await job.stateOf(step)) as { id: string } | undefined
  if (before?.id === id) return
  await uploader.rows(n, table, source.read)
  const params = { ...claim, n, table: table.name }
  const { create, columns, bytes: size, triggers } = table
  const load = { ...params, create, columns, size, ...(triggers.length > 0 ? { triggers } : {}), budget_ms }
  let loaded = await site.ask('restore.load', load)
  while (!loaded.done) loaded = await site.ask('restore.load', load)
  const found = await readBack(site, params)
  if (loaded.rows !== table.rows || found.rows !== table.rows || found.xor !== loaded.xor)
    throw new Problem(
      'site_failed',
      `A table, ${plainWord(table.name) ?? 'with a name that is not plain'}, did not arrive as it was backed up. Nothing was changed.`,
      {
        retryable: false,
      },
    )
  await job.saveState(step, { id })
}

/** The number of rows and the XOR of their digests, slice by slice. */
async function readBack(site: SiteClient, params: Claim & { n: number; table: string }): Promise<{ rows: number; xor: string }> {
  let rows = 0
  let xor = 0n
  let position: { after: string[] | null; offset: number } = { after: null, offset: 0 }
  for (;;) {
    const slice = await site.ask('restore.check', { ...params, ...position, budget_ms })
    rows += slice.rows
    xor ^= BigInt(`0x${slice.xor}`)
    if (slice.done) return { rows, xor: xor.toString(16).padStart(32, '0') }
    position = { after: slice.after, offset: slice.offset }
  }
}

async function settlePlan(site: SiteClient, claim: Claim, plan: string): Promise<string[]> {
  const others: Buffer[] = []
  let from = 0
  for (;;) {
    const { next, done, ungrouped = [] } = await site.ask('restore.prepare', { ...claim, plan, from, budget_ms })
    others.push(...ungrouped.map(pathBytes))
    if (done)
      return sentence(others, 'Belongs to PHP’s own group now, because PHP may not give it the one that it had, or that its folder has')
    from = next
  }
}
