// A year of a client with thirty sites: what drafting it costs, and how long and how large its PDF is, in each language and on each paper.
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { languages } from '../server/src/kernel/languages.ts'
import { printPdf } from '../server/src/platform/print-pdf.ts'
import { familyCpu, median } from '../server/test/cpu.ts'
import { aYear } from '../server/test/fake-year.ts'
import { aWorld, type TestWorld } from '../server/test/world.ts'

/** Seconds of processor time, Node and PostgreSQL together; seconds and bytes of a PDF. */
const bars = { draft: 2, pdf: 10, bytes: 2_000_000 }
const runs = 3
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium'
const client = 'Thirty Ltd'

const missed: string[] = []
const tell = (what: string, value: number, bar: number) => {
  process.stdout.write(`${what}: ${Number.isInteger(value) ? value : value.toFixed(2)} (at most ${bar})\n`)
  if (value > bar) missed.push(what)
}

const here = await aWorld()
try {
  here.clock.add(Date.parse('2027-01-15T00:00:00Z') - here.world.now().getTime())
  await here.call('clients.create', { name: client, time_zone: 'Europe/Berlin' })
  await aYear(here, { client, sites: 30, from: '2026-01-01T00:00:00Z', days: 365 })
  await sql`ANALYZE`.execute(here.world.db)
  const postgres = await postmasterOf(here)
  const spent: number[] = []
  let id = ''
  for (let run = 0; run < runs; run++) {
    const before = cpu(postgres)
    const report = await here.call('reports.draft', { client_id: client, from: '2026-01-01', to: '2026-12-31' })
    spent.push(cpu(postgres) - before)
    id = String(report.id)
    if (run < runs - 1) await here.call('reports.discard', { report_id: id })
  }
  tell('drafting a year of thirty sites, seconds of processor time', median(spent), bars.draft)
  for (const language of languages)
    for (const paper of ['a4', 'letter']) {
      await here.call('clients.set', { client_id: client, language, paper })
      const page = await pageOf(here, id)
      const began = performance.now()
      const pdf = await printPdf({ program: chromium, sandbox: 'on' }, page)
      tell(`PDF, ${language}, ${paper}, seconds`, (performance.now() - began) / 1000, bars.pdf)
      tell(`PDF, ${language}, ${paper}, bytes`, pdf.length, bars.bytes)
    }
} finally {
  await here.close()
}
for (const one of missed) process.stderr.write(`Missed: ${one}\n`)
process.exitCode = missed.length > 0 ? 1 : 0

function cpu(postgres: number): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + familyCpu(postgres)
}

/** The process whose children answer. */
async function postmasterOf({ world }: TestWorld): Promise<number> {
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(world.db)
  const stat = readFileSync(`/proc/${rows[0]?.pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

async function pageOf(world: TestWorld, id: string): Promise<Buffer> {
  const { token } = await world.token('read')
  return Buffer.from((await world.rest('GET', `/api/v1/reports/${id}/html`, { token })).text)
}
