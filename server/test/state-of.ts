import { sql } from 'kysely'
import type { World } from '../src/world.ts'

/** Not compared: the record of calls itself, the beat of nodes, whose look at a site is at work, which version was offered since when, and the feed, which no workspace owns. */
const passedOver = /^(audit|nodes|live_looks|offered_versions|feed_\w+|vulnerabilit\w+|vulnerable_\w+)$/
/** Rows that say again what another one says, which is compared: that somebody is to be told of an approval. */
const saidElsewhere: Record<string, string> = { happenings: "kind = 'approval_waiting'" }
/** What is seen or counted all the time, or made of the rest by the first who asks: all other columns are compared, those to come included. */
const seen: Record<string, string[]> = {
  backups: ['tar_map'],
  sites: [
    ...[
      'updated_at',
      'last_seen_at',
      'last_error',
      'latency_ms',
      'skew_s',
      'slice_bytes',
      'hello',
      'synced_at',
      'inventory',
      'inventory_at',
    ],
    ...[
      'updates_core',
      'updates_plugins',
      'updates_themes',
      'active_theme',
      'wp_version',
      'php_version',
      'server_software',
      'is_multisite',
    ],
    'is_ssl',
  ],
  sessions: ['seen_at'],
  tokens: ['last_used_at', 'last_used_from', 'last_used_client'],
}

/** A digest of everything there is in the database, to show that nothing changed: every table but `except`, those to come included. */
export async function stateOf({ db }: Pick<World, 'db'>, except: string[] = []): Promise<string> {
  const { rows: tables } = await sql<{
    name: string
  }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`.execute(db)
  const digests = tables
    .filter(({ name }) => !passedOver.test(name) && !except.includes(name))
    .map(({ name }) => {
      const row = sql.raw(seen[name] ? `(to_jsonb(t) - '{${seen[name]}}'::text[])::text` : 't::text')
      return sql`SELECT ${name} || ' ' || coalesce(md5(string_agg(${row}, E'\n' ORDER BY ${row})), '') AS d FROM ${sql.table(name)} t
        WHERE NOT (${sql.raw(saidElsewhere[name] ?? 'false')})`
    })
  const { rows } = await sql<{ d: string }>`${sql.join(digests, sql` UNION ALL `)}`.execute(db)
  return rows.map(({ d }) => d).join('\n')
}
