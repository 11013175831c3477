import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import type { Asker } from './ask.ts'
import { Crawler } from './crawl.ts'
import { Hosts, Outside, type Time, usualManners } from './hosts.ts'
import { Notes } from './notes.ts'

const { signal } = new AbortController()
const manners = { ...usualManners, own: { atOnce: 2, pauseMs: 0 }, others: { atOnce: 1, pauseMs: 0 } }
/** Scans of two sites in one process. */
const two = (time?: Time) => {
  const outside = new Outside(manners, time)
  return [new Hosts(manners, 'garden.example', signal, outside), new Hosts(manners, 'shed.example', signal, outside)] as const
}

test('to a host outside, scans of two sites are one visitor; each site is asked as its own scan does', async () => {
  const most = new Map<string, number>()
  const asked = async (hosts: Hosts, host: string, at: Map<string, number>) =>
    hosts.turn(`https://${host}/`, async () => {
      at.set(host, (at.get(host) ?? 0) + 1)
      most.set(host, Math.max(most.get(host) ?? 0, at.get(host) ?? 0))
      for (let n = 0; n < 5; n++) await soon()
      at.set(host, (at.get(host) ?? 0) - 1)
    })
  const at = new Map<string, number>()
  const [garden, shed] = two()
  const all = [1, 2, 3].flatMap(() => [
    asked(garden, 'fonts.example', at),
    asked(shed, 'fonts.example', at),
    asked(garden, 'garden.example', at),
    asked(garden, 'other.example', at),
  ])
  await Promise.all(all)
  assert.deepEqual(Object.fromEntries(most), { 'fonts.example': 1, 'garden.example': 2, 'other.example': 1 })
})

test('a host that asks one scan to wait is left in peace by the other', async () => {
  let now = 0
  const sleepers: (() => void)[] = []
  const sleep = () => new Promise<void>((wake) => void sleepers.push(wake))
  const [garden, shed] = two({ now: () => now, sleep })
  const asked: string[] = []
  garden.rest('https://busy.example/', 60)
  await Promise.all([
    shed.turn('https://busy.example/', async () => void asked.push('busy')),
    shed.turn('https://free.example/', async () => {
      for (let n = 0; n < 20; n++) await soon()
      asked.push('free')
      now = 60
      for (const wake of sleepers) wake()
    }),
  ])
  assert.deepEqual(asked, ['free', 'busy'])
})

test('two workers of a site keep the pause between them, also when both have waited, and all keep the one that the site asks for', async () => {
  let now = 0
  const sleepers: { until: number; wake: () => void }[] = []
  const time = {
    now: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => void sleepers.push({ until: now + ms, wake })),
  }
  const polite = { ...manners, own: { atOnce: 2, pauseMs: 150 } }
  const hosts = new Hosts(polite, 'garden.example', signal, new Outside(polite, time))
  const spacing = async () => {
    const asked: number[] = []
    const all = Promise.all(Array.from({ length: 6 }, () => hosts.turn('https://garden.example/', async () => void asked.push(now))))
    while (asked.length < 6) {
      for (let n = 0; n < 20; n++) await soon()
      sleepers.sort((a, b) => a.until - b.until)
      const next = sleepers[0]?.until ?? now
      now = next
      for (const { wake } of sleepers.splice(0, sleepers.filter(({ until }) => until === next).length)) wake()
    }
    await all
    return asked.slice(1).map((at, n) => at - (asked[n] ?? 0))
  }
  assert.deepEqual(await spacing(), [150, 150, 150, 150, 150])
  hosts.ownPauseMs = 3000
  now += 10_000
  assert.deepEqual(await spacing(), [3000, 3000, 3000, 3000, 3000])
})

test('the pause that a site asks for in robots.txt is kept from the next request on, ten seconds at most', async () => {
  for (const [wanted, kept] of [
    [3, 3000],
    [60, 10_000],
  ] as const) {
    let now = 0
    const asked: number[] = []
    const sleep = async (ms: number) => {
      now += ms
    }
    const time = { now: () => now, sleep }
    const asker: Asker = {
      hosts: new Hosts(manners, 'garden.example', signal, new Outside(manners, time)),
      fetch: async ({ url }) => {
        asked.push(now)
        const isRobots = url.endsWith('/robots.txt')
        const body = Buffer.from(isRobots ? `User-agent: *\nCrawl-delay: ${wanted}\n` : '')
        return {
          status: isRobots ? 200 : 404,
          headers: { 'content-type': 'text/plain' },
          body,
          address: '',
          addresses: [],
          latencyMs: 0,
          bodyMs: 0,
        }
      },
      ...{ timeoutMs: 1000, signal, mayAsk: () => true },
    }
    await new Crawler({ home: 'https://garden.example/', asker, notes: new Notes([], 100), mostPages: 10, ids: new Map() }).begin()
    assert.deepEqual(
      asked.slice(2).map((at, n) => at - (asked[n + 1] ?? 0)),
      [kept, kept],
    )
  }
})
