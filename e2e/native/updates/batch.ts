// Many real sites updated in waves, some with a broken version on offer, while a visitor watches every front page.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeSamplePlugin } from '../../../demo/mirror-packages.ts'
import { KINDS, SAMPLE_PLUGIN, type SampleKind } from '../../../demo/sample-plugin.ts'
import { type Mirror, startMirror } from '../../../demo/wporg-mirror.ts'
import { CONNECTOR } from '../../guest.ts'
import { type House, openHouse, PHOTOGRAPHED } from '../../house.ts'
import { type Fleet, startFleet } from '../fleet.ts'
import { connectAll, type Managed } from '../managed.ts'
import { lookOf, NOTHING_SEEN, type Seen, watch } from '../watch.ts'

export interface Batch {
  sites: number
  /** What is offered to the last sites in place of the good version. */
  broken: SampleKind[]
  firstWave: number
  waveSize: number
  /** Of the service, over those of any house. */
  settings?: Record<string, string>
}
export interface BatchRow extends Seen {
  site: string
  offered: SampleKind
  ended: string
  reason: string | null
  /** From the beginning of its job to its end. */
  seconds: number
  /** The front page at the end: its status and the version at its foot. */
  atTheEnd: string
}
interface Rollout {
  status: string
  reason: string | null
  sites: { site_id: string; status: string; reason: string | null; job_id: string | null }[]
}

/** Starts everything, runs one rollout, and takes everything down again. */
export async function runBatch(
  batch: Batch,
  say: (words: string) => void = () => undefined,
): Promise<{ rollout: Rollout; rows: BatchRow[] }> {
  const started: { close: () => Promise<void> }[] = []
  try {
    const house = await openHouse({ ...PHOTOGRAPHED, ...batch.settings })
    started.push(house)
    const offers = Array.from({ length: batch.sites }, (_, place): SampleKind => batch.broken[batch.sites - 1 - place] ?? 'good_new')
    const mirrors = await mirrorsFor(offers)
    for (const mirror of mirrors.values()) started.push({ close: mirror.stop })
    const fleet = await fleetOf(house, offers, mirrors)
    started.push({ close: fleet.stop })
    say(`${batch.sites} sites run, connecting them`)
    const all = await connectAll(house, fleet)
    for (const { native } of all) await (await fetch(native.url)).text()
    say('updating in waves')
    return await rolled(house, all, offers, batch)
  } finally {
    for (const each of started.toReversed()) await each.close()
  }
}

async function mirrorsFor(offers: SampleKind[]): Promise<Map<SampleKind, Mirror>> {
  const mirrors = new Map<SampleKind, Mirror>()
  for (const kind of new Set(offers)) {
    const mirror = await startMirror()
    mirror.offer({ plugins: { [SAMPLE_PLUGIN]: KINDS[kind].version } })
    mirrors.set(kind, mirror)
  }
  return mirrors
}

async function fleetOf(house: House, offers: SampleKind[], mirrors: Map<SampleKind, Mirror>): Promise<Fleet> {
  const spec = (kind: SampleKind, place: number) => ({
    ...{ wp: '7.1.1' as const, db: place % 2 === 0 ? ('mariadb' as const) : ('sqlite' as const) },
    constants: { WPORG_MIRROR: mirrors.get(kind)?.url ?? '' },
  })
  return startFleet(offers.map(spec), {
    plugins: [CONNECTOR, await writeSamplePlugin(house.dir)],
    muPlugins: [join(import.meta.dirname, '../../../demo/mu-wporg-mirror.php')],
  })
}

async function rolled(house: House, all: Managed[], offers: SampleKind[], { firstWave, waveSize }: Batch) {
  const busy = new Set<string>()
  const visitors = all.map(({ native, site }) => watch(native.url, () => busy.has(site.id)))
  // The broken ones are to be met, so it must not stop at the first.
  const { rollout_id } = await house.ask<{ rollout_id: string }>('POST', '/updates', {
    ...{ site_ids: all.map(({ site }) => site.id), plugins: ['harbour-notices'] },
    ...{ first_wave: firstWave, wave_size: waveSize, stop_above_percent: 100 },
  })
  const rollout = await untilOver(house, rollout_id, busy)
  const rows: BatchRow[] = []
  for (const [place, { native, site }] of all.entries()) {
    const told = rollout.sites.find(({ site_id }) => site_id === site.id)
    const seen = await visitors[place]?.stop()
    rows.push({
      ...{ site: native.url, offered: offers[place] ?? 'good_new', ended: told?.status ?? 'unknown', reason: told?.reason ?? null },
      ...{ seconds: await secondsOf(house, told?.job_id ?? null), ...(seen ?? NOTHING_SEEN) },
      atTheEnd: await lookOf(native.url),
    })
  }
  return { rollout, rows }
}

/** `busy` holds the sites whose update runs. */
async function untilOver(house: House, id: string, busy: Set<string>): Promise<Rollout> {
  for (;;) {
    const rollout = await house.ask<Rollout>('GET', `/rollouts/${id}`)
    busy.clear()
    for (const { site_id, status } of rollout.sites) if (status === 'running') busy.add(site_id)
    if (rollout.status !== 'running' && rollout.status !== 'stopping') return rollout
    await sleep(500)
  }
}

async function secondsOf(house: House, jobId: string | null): Promise<number> {
  if (jobId === null) return 0
  const { started_at, completed_at } = await house.ask<{ started_at: string; completed_at: string }>('GET', `/jobs/${jobId}`)
  return (Date.parse(completed_at) - Date.parse(started_at)) / 1000
}

/** What the bar of the product is about; empty when everything kept to it. `mostSeconds`: an update may take them where nothing else runs. */
export function complaints({ sites, broken }: Batch, rows: BatchRow[], mostSeconds = Number.POSITIVE_INFINITY): string[] {
  const ended = (status: string) => rows.filter((row) => row.ended === status).length
  const wrong = [
    ...(ended('updated') === sites - broken.length ? [] : [`${ended('updated')} were updated instead of ${sites - broken.length}`]),
    ...(ended('rolled_back') === broken.length ? [] : [`${ended('rolled_back')} were rolled back instead of ${broken.length}`]),
  ]
  for (const { site, offered, seconds, longestDownMs, downMs, atTheEnd } of rows) {
    const expected = `200 Harbour Notices ${KINDS[offered === 'good_new' ? 'good_new' : 'good_old'].version}`
    if (atTheEnd !== expected) wrong.push(`${site} ends with "${atTheEnd}" instead of "${expected}"`)
    if (seconds > mostSeconds) wrong.push(`${site} took ${seconds} s`)
    if (offered !== 'good_new' && downMs > 0) wrong.push(`visitors of ${site} met the broken version for ${downMs} ms`)
    if (longestDownMs > 60_000) wrong.push(`${site} was down for ${longestDownMs} ms`)
  }
  return wrong
}

/** The evidence, to be read. */
export function batchTable(rows: BatchRow[]): string {
  const cells = rows.map(({ site, offered, ended, seconds, longestDownMs, downMs, looks, longestGapMs, atTheEnd, reason }) => [
    ...[site.replace('http://', ''), offered, ended, seconds.toFixed(1), (longestDownMs / 1000).toFixed(1), (downMs / 1000).toFixed(1)],
    ...[String(looks), (longestGapMs / 1000).toFixed(1), atTheEnd, (reason ?? '').slice(0, 60)],
  ])
  const all = [['site', 'offered', 'ended', 's', 'down s', 'in all', 'looks', 'gap s', 'at the end', 'reason'], ...cells]
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
