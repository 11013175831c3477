// A bad evening: ten plugins on one site, four of them harmful in four ways, updated in one go while visitors are there.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { KINDS, pluginFiles, type SampleKind } from '../demo/sample-plugin.ts'
import type { Mirror } from '../demo/wporg-mirror.ts'
import { inFolder, zip } from '../demo/zip.ts'
import { type House, until } from './house.ts'
import { watch } from './native/watch.ts'

interface Item {
  file: string
  status: string
  reason: string | null
}

/** What is on offer for each plugin. */
export type Offers = Record<string, SampleKind>

/** Each harm with the sentence it is told by. */
const REASONS: Partial<Record<SampleKind, RegExp>> = {
  dead_admin: /the dashboard in wp-admin answers with 500/,
  contents_gone: /has lost most of its words/,
  switches_all_off: /it is no longer active/,
  hangs_on_pages: /does not answer in time/,
  fatal_at_load: /WordPress does not start/,
}

/** `last`: the fourth harm. */
export const offersOf = (last: SampleKind): Offers => ({
  anchors: 'good_new',
  buoys: 'dead_admin',
  cranes: 'good_new',
  docks: 'good_new',
  eddies: 'contents_gone',
  ferries: 'good_new',
  gulls: 'switches_all_off',
  hulls: 'good_new',
  islands: 'good_new',
  jetties: last,
})

const fileOf = (slug: string) => `${slug}/${slug}.php`

/** Has the stand-in for wordpress.org offer them, and writes the versions that are installed below `parent`; answers their folders. */
export async function preparePlugins(mirror: Mirror, parent: string, offers: Offers): Promise<string[]> {
  const all = Object.entries(offers)
  for (const [slug, kind] of all) {
    const { version } = KINDS[kind]
    mirror.addPackage(`${slug}.${version}.zip`, zip(inFolder(slug, pluginFiles(fileOf(slug), version, KINDS[kind]))))
  }
  mirror.offer({ plugins: Object.fromEntries(all.map(([slug, kind]) => [fileOf(slug), KINDS[kind].version])) })
  return Promise.all(all.map(([slug]) => writePlugin(join(parent, slug), slug)))
}

async function writePlugin(folder: string, slug: string): Promise<string> {
  for (const [path, content] of Object.entries(pluginFiles(fileOf(slug), '1.0.0', {}))) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

/** Six are new, four are as they were with a sentence each, and no visitor noticed. */
export async function surviveEvening(t: TestContext, house: House, site: { id: string; url: string; offers: Offers }): Promise<void> {
  await until('The site has heard what is on offer', async () => {
    const known = await house.ask<{ updates_checked_at: string | null }>('GET', `/sites/${site.id}/inventory?refresh=true`)
    return known.updates_checked_at ?? undefined
  })
  const visitors = Array.from({ length: 3 }, () => watch(site.url))
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/actions`, { action: 'update' })
  const job = await house.finished<{ items: Item[] }>(job_id)
  const seen = await Promise.all(visitors.map((visitor) => visitor.stop()))
  const items = new Map(job.result?.items.map((item) => [dirname(item.file), item]))
  if (items.size === 0) t.diagnostic(JSON.stringify(job))
  for (const { file, status, reason } of items.values()) t.diagnostic(`${file} ${status} ${reason ?? ''}`)
  t.diagnostic(`${seen.map(({ looks, downMs }) => `${looks} looks, ${downMs} ms down`).join('; ')}`)
  assert.equal(job.status, 'completed', job.error?.message)
  assert.equal(job.outcome, 'partly', job.summary ?? '')
  const clauses = job.summary?.split('; ') ?? []
  const page = await (await fetch(site.url)).text()
  for (const [slug, kind] of Object.entries(site.offers)) {
    const good = kind === 'good_new'
    const item = items.get(slug) ?? assert.fail(slug)
    assert.equal(item.status, good ? 'updated' : 'rolled_back', `${slug}: ${item.reason}`)
    if (!good) assert.match(item.reason ?? '', REASONS[kind] ?? /^$/)
    if (!good) assert.match(clauses.find((clause) => clause.includes(`“${slug}”`)) ?? '', REASONS[kind] ?? /^$/, job.summary ?? '')
    const foot = `${slug.replace(/^./, (letter) => letter.toUpperCase())} ${good ? KINDS.good_new.version : '1.0.0'}`
    assert.ok(page.includes(foot), `the page says ${foot}`)
  }
  const down = seen.filter(({ downMs }) => downMs > 0).map(({ downMs, worst }) => `${downMs} ms: ${worst}`)
  assert.deepEqual(down, [])
}
