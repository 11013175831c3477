import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { Hosts, Outside, usualManners } from './hosts.ts'

const { signal } = new AbortController()
const manners = { ...usualManners, own: { atOnce: 2, pauseMs: 0 }, others: { atOnce: 1, pauseMs: 0 } }
/** Scans of two sites in one process. */
const two = () => {
  const outside = new Outside(manners)
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
  const [garden, shed] = two()
  const asked: string[] = []
  garden.rest('https://busy.example/', 60)
  await Promise.all([
    shed.turn('https://busy.example/', async () => void asked.push('busy')),
    shed.turn('https://free.example/', async () => {
      for (let n = 0; n < 20; n++) await soon()
      asked.push('free')
    }),
  ])
  assert.deepEqual(asked, ['free', 'busy'])
})
