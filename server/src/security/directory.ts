// What WordPress.org publishes about core and plugins: asked once for all sites, remembered, and never necessary.
import { sql } from 'kysely'
import { z } from 'zod'
import { clean } from '../connector/clean.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { World } from '../world.ts'

/** Path → the MD5 sums that are right. */
export type Checksums = ReadonlyMap<string, readonly string[]>

export interface Listing {
  name: string
  closed: boolean
  closed_date: string | null
  reason: string | null
  last_updated: string | null
}

/** `unknown`: it knows no such thing. `silent`: it could not be asked; nothing follows from that. */
export interface Directory {
  coreChecksums(version: string, locale: string): Promise<Checksums | 'unknown' | 'silent'>
  pluginChecksums(slug: string, version: string): Promise<Checksums | 'unknown' | 'silent'>
  plugin(slug: string): Promise<Listing | 'unknown' | 'silent'>
}

const dayMs = 86_400_000
const maxBytes = 4 * 1024 * 1024
const timeoutMs = 10_000

const md5 = z.string().regex(/^[0-9a-f]{32}$/)
const path = z.string().min(1).max(500)
const Core = z.object({ checksums: z.record(path, md5) })
const Plugin = z.object({ files: z.record(path, z.object({ md5: z.union([md5, z.array(md5).max(20)]) })) })
const word = z.string().nullish().catch(null)
const Info = z.object({ name: z.string(), closed: z.boolean().catch(false), closed_date: word, reason_text: word, last_updated: word })

/** For the length of one check: once the directory does not answer, it is not asked again. */
export function openDirectory(world: Pick<World, 'db' | 'wire' | 'now' | 'config'>): Directory {
  const base = world.config.wordpressOrg
  const state = { silent: base === 'off' }
  const hosts = base === '' ? { api: 'https://api.wordpress.org', downloads: 'https://downloads.wordpress.org' } : mirrored(base)

  async function ask<T>(url: string, schema: z.ZodType<T>, keepMs: number): Promise<T | 'unknown' | 'silent'> {
    const known = await recall(world, url, keepMs)
    const answer = known ?? (state.silent ? undefined : await fetchAnswer(world, url))
    if (answer === undefined) {
      state.silent = true
      return 'silent'
    }
    if (!known) await remember(world, url, answer)
    const parsed = schema.safeParse(answer.json)
    return parsed.success ? parsed.data : 'unknown'
  }

  return {
    async coreChecksums(version, locale) {
      const query = new URLSearchParams({ version, locale })
      const answer = await ask(`${hosts.api}/core/checksums/1.0/?${query}`, Core, 30 * dayMs)
      return typeof answer === 'string' ? answer : new Map(Object.entries(answer.checksums).map(([name, sum]) => [name, [sum]]))
    },
    async pluginChecksums(slug, version) {
      if (!/^[a-z0-9-]{1,100}$/.test(slug) || !/^[\w.-]{1,50}$/.test(version)) return 'unknown'
      const answer = await ask(`${hosts.downloads}/plugin-checksums/${slug}/${version}.json`, Plugin, 30 * dayMs)
      return typeof answer === 'string' ? answer : new Map(Object.entries(answer.files).map(([name, sums]) => [name, [sums.md5].flat()]))
    },
    async plugin(slug) {
      const query = new URLSearchParams({ action: 'plugin_information', 'request[slug]': slug, 'request[fields][sections]': '0' })
      const answer = await ask(`${hosts.api}/plugins/info/1.2/?${query}`, Info, dayMs)
      if (typeof answer === 'string') return answer
      const { name, closed, closed_date, reason_text, last_updated } = answer
      const short = (text: string | null | undefined) => (text ? clean(text, 100) : null)
      return {
        name: clean(name, 200),
        closed,
        closed_date: short(closed_date),
        reason: short(reason_text),
        // "2026-03-01 4:05pm GMT"
        last_updated: short(last_updated)?.slice(0, 10) ?? null,
      }
    },
  }
}

const mirrored = (base: string) => ({ api: `${base}/api`, downloads: `${base}/downloads` })

interface Answer {
  /** null: it knows no such thing. */
  json: unknown
}

async function fetchAnswer({ wire }: Pick<World, 'wire'>, url: string): Promise<Answer | undefined> {
  try {
    const { status, body } = await wire.fetch({ method: 'GET', url, headers: { accept: 'application/json' }, maxBytes, timeoutMs })
    if (status >= 500 || status === 429 || status === 403) return undefined
    return { json: parsed(body.toString('utf8')) }
  } catch (error) {
    if (error instanceof FetchError) return undefined
    throw error
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function recall({ db, now }: Pick<World, 'db' | 'now'>, question: string, keepMs: number): Promise<Answer | undefined> {
  const { rows } = await sql<{
    answer: unknown
    fetched_at: Date
  }>`SELECT answer, fetched_at FROM directory_answers WHERE question = ${question}`.execute(db)
  const [row] = rows
  // What it did not know yesterday it may know today.
  const keep = row?.answer === null ? Math.min(keepMs, dayMs) : keepMs
  return row && now().getTime() - row.fetched_at.getTime() < keep ? { json: row.answer } : undefined
}

async function remember({ db, now }: Pick<World, 'db' | 'now'>, question: string, { json }: Answer): Promise<void> {
  const text = json === null ? null : JSON.stringify(json).replaceAll('\\u0000', '')
  await sql`INSERT INTO directory_answers (question, answer, fetched_at) VALUES (${question}, ${text}::jsonb, ${now()})
    ON CONFLICT (question) DO UPDATE SET answer = excluded.answer, fetched_at = excluded.fetched_at`.execute(db)
}
