import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aYear } from '../../test/fake-year.ts'
import { aWorld } from '../../test/world.ts'

/** A picture as far as anybody here looks into it, of its own for each number. */
const aLogo = (n: number) =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01', 'latin1'), Buffer.alloc(40, n)]).toString('base64')

/** FROZEN=500 for all of them. */
const count = Number(process.env.FROZEN ?? 12)

test(`${count} published reports are byte for byte what they were after everything else has changed`, async () => {
  const here = await aWorld({ SERVICE_CALLS_PER_MINUTE: '1000000' })
  try {
    here.clock.add(Date.parse('2027-01-15T00:00:00Z') - here.world.now().getTime())
    const clients = Math.max(2, Math.ceil(count / 60))
    const names = Array.from({ length: clients }, (_, n) => `Client ${n}`)
    for (const name of names) {
      await here.call('clients.create', { name, logo: aLogo(1), recipients: ['ann@example.com'] })
      await aYear(here, { client: name, sites: 2, from: '2026-03-01T00:00:00Z', days: 31 })
    }
    const { token } = await here.token('read')
    const pageOf = async (id: string) => (await here.rest('GET', `/api/v1/reports/${id}/html`, { token })).text
    /** All that is told of a report beside its page; who gets mails, and where answers go, is as it is now. */
    const besides = async (report_id: string) => {
      const { client_name, shown, summary, digest, stale } = await here.call('reports.get', { report_id })
      const { from, subject, text, html } = await here.call('reports.mail', { report_id })
      return { client_name, shown, summary, digest, stale, from, subject, text, html }
    }
    const kept = new Map<string, { page: string; told: Awaited<ReturnType<typeof besides>> }>()
    for (let n = 0; n < count; n++) {
      const from = `2026-0${1 + (Math.floor(n / clients) % 3)}-${String(1 + (Math.floor(n / clients / 3) % 28)).padStart(2, '0')}`
      const { id } = await here.call('reports.draft', { client_id: names[n % clients], from, to: '2026-03-31' })
      const { digest } = await here.call('reports.publish', { report_id: id })
      const page = await pageOf(String(id))
      assert.equal(digest, hash('sha256', page, 'hex'))
      kept.set(String(id), { page, told: await besides(String(id)) })
    }
    assert.equal(kept.size, count)

    for (const name of names)
      await here.call('clients.set', {
        client_id: name,
        name: `New ${name}`,
        logo: aLogo(2),
        colour: '#aa0000',
        language: 'de',
        paper: 'letter',
        time_zone: 'Asia/Tokyo',
      })
    await here.call('reports.set_settings', { sender: 'Another', mentions_product: true })
    const { db } = here.world
    await sql`UPDATE activity SET summary = 'Changed', internal = true, in_reports = false`.execute(db)
    await sql`DELETE FROM uptime_hours`.execute(db)
    await sql`DELETE FROM findings`.execute(db)
    await sql`UPDATE jobs SET result = NULL`.execute(db)
    await sql`UPDATE sites SET name = 'Changed', home = 'https://changed.example', client = NULL`.execute(db)
    await sql`DELETE FROM sites WHERE id IN (SELECT id FROM sites ORDER BY id LIMIT 1)`.execute(db)
    for (const [id, { page, told }] of kept) {
      assert.equal(await pageOf(id), page)
      assert.deepEqual(await besides(id), told)
    }
  } finally {
    await here.close()
  }
})
