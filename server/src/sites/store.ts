import { type Kysely, sql } from 'kysely'
import { remedies } from '../connector/remedies.ts'
import type { Summary } from '../kernel/capability.ts'
import type { DatedDb, Db } from '../world.ts'
import type { KnownLabels, Labels, Site, SiteSecrets } from './schema.ts'

/** Why it could not be asked, with what to do about it. */
const lastError = sql`s.last_error || jsonb_build_object('next', ${JSON.stringify(remedies)}::jsonb -> (s.last_error ->> 'reason'))`

/** A site as the API shows it, made by the database so that a list is one text. */
const shape = (summary: Summary) => sql`json_build_object(
  'id', s.id, 'name', s.name, 'url', s.url, 'home', s.home, 'status', s.status, 'tags', s.tags, 'client', s.client, 'notes', s.notes,
  'wp_version', s.wp_version, 'php_version', s.php_version, 'connector_version', s.connector_version,
  'server_software', s.server_software, 'is_multisite', s.is_multisite, 'is_ssl', s.is_ssl, 'active_theme', s.active_theme,
  'updates_available', CASE WHEN s.synced_at IS NOT NULL AND s.updates_core IS NOT NULL
    THEN json_build_object('core', s.updates_core, 'plugins', s.updates_plugins, 'themes', s.updates_themes) END,
  'connection', json_build_object('door', s.door, 'latency_ms', s.latency_ms, 'last_seen_at', ${utc('s.last_seen_at')}, 'last_error', ${lastError}),
  'created_at', ${utc('s.created_at')}, 'updated_at', ${utc('s.updated_at')}, 'synced_at', ${utc('s.synced_at')}
  ${sql.join(
    Object.entries(summary).map(([field, part]) => sql`, ${sql.lit(field)}, ${part.sql}`),
    sql``,
  )})`

/** A column as a time of ISO 8601. */
export const utc = (column: string) => sql.raw(utcOf(column))
/** The same, as text of SQL. */
export const utcOf = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Of a column with a plain URL its domain, as `domainOf` has it, as text of SQL. */
export const domainIn = (column: string) => `lower(regexp_replace(${column}, '^https?://|/+$', '', 'gi'))`

/** Every site of the workspace. */
export async function listSites({ db, workspaceId, summary }: Db & { summary: Summary }): Promise<Site[]> {
  const { rows } = await sql<{ site: Site }>`SELECT ${shape(summary)} AS site FROM sites s WHERE s.workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows.map(({ site }) => site)
}

export async function readSites({ db, workspaceId, summary }: Db & { summary: Summary }, ids: string[]): Promise<Site[]> {
  const { rows } = await sql<{
    site: Site
  }>`SELECT ${shape(summary)} AS site FROM sites s WHERE s.workspace_id = ${workspaceId} AND s.id = ANY(${ids})`.execute(db)
  return rows.map(({ site }) => site)
}

/** The columns of `SiteSecrets`. */
export const secretColumns =
  sql.raw(`url, home, status, keyid, sealed_service_key, sealed_access, service_public, site_public, door, mode, skew_s,
  slice_bytes, hello->>'standing' AS standing, install_id`)

export async function findSecrets({ db, workspaceId }: Db, id: string): Promise<SiteSecrets | undefined> {
  const { rows } = await sql<SiteSecrets>`SELECT ${secretColumns} FROM sites WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return rows[0]
}

export async function findAccess({ db, workspaceId }: Db, id: string): Promise<string | null> {
  const { rows } = await sql<{
    sealed_access: string | null
  }>`SELECT sealed_access FROM sites WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return rows[0]?.sealed_access ?? null
}

export async function saveAccess({ db, workspaceId, now }: DatedDb, id: string, sealed: string | null): Promise<void> {
  await sql`UPDATE sites SET sealed_access = ${sealed}, updated_at = ${now()} WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(
    db,
  )
}

/** With what a site is paired, for the first time or anew. */
export interface NewKeys {
  url: string
  /** Until its first hello a site has no other. */
  home: string
  keyid: string
  service_public: string
  sealed_service_key: string
  site_public: string
}

export interface NewSite extends NewKeys {
  id: string
  name: string
}

export async function insertSite({ db, workspaceId, now }: DatedDb, site: NewSite): Promise<void> {
  await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, unproven, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
    VALUES (${workspaceId}, ${site.id}, ${site.name}, ${site.url}, ${site.home}, 'pending', true, ${site.keyid}, ${site.service_public},
      ${site.sealed_service_key}, ${site.site_public}, ${now()}, ${now()})`.execute(db)
}

export async function deleteSite({ db, workspaceId }: Db, id: string): Promise<void> {
  await sql`DELETE FROM sites WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

/** The columns of a site that talking to it changes. */
export interface SiteFacts {
  name?: string
  url?: string
  home?: string
  status?: Site['status']
  wp_version?: string
  php_version?: string
  connector_version?: string
  server_software?: string
  is_multisite?: boolean
  is_ssl?: boolean
  active_theme?: string
  install_id?: string
  hello?: unknown
  door?: string
  mode?: string
  skew_s?: number
  slice_bytes?: number
  latency_ms?: number
  last_seen_at?: Date
  last_error?: unknown
  inventory?: unknown
  inventory_at?: Date
  updates_core?: number | null
  updates_plugins?: number | null
  updates_themes?: number | null
  synced_at?: Date
}

const json = new Set(['hello', 'last_error', 'inventory'])

/** What was learnt from a site. Only pairing brings a disconnected one back, and only its first hello a pending one: an answer that was under way does not. */
export async function updateSite({ db, workspaceId, now }: DatedDb, id: string, facts: SiteFacts): Promise<void> {
  const changes = Object.entries(facts).map(([column, value]) => sql`${sql.ref(column)} = ${columnValue(column, value)}`)
  await sql`UPDATE sites SET ${sql.join([...changes, sql`updated_at = ${now()}`])} WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(
    db,
  )
}

/** What people say of it; what is left out stays. Undefined: there is no such site. */
export async function writeLabels(
  { db, workspaceId, now }: DatedDb,
  id: string,
  { tags, client, notes }: Labels,
): Promise<KnownLabels | undefined> {
  const { rows } =
    await sql<KnownLabels>`UPDATE sites SET tags = coalesce(${tags ?? null}::text[], tags), client = nullif(coalesce(${client ?? null}::text, client), ''),
      notes = nullif(coalesce(${notes ?? null}::text, notes), ''), updated_at = ${now()}
    WHERE workspace_id = ${workspaceId} AND id = ${id} RETURNING id, tags, client, notes`.execute(db)
  return rows[0]
}

function columnValue(column: string, value: unknown) {
  if (column === 'status') return sql`CASE WHEN status IN ('disconnected', 'pending') THEN status ELSE ${value} END`
  if (!json.has(column)) return sql`${value}`
  return sql`${value === null ? null : JSON.stringify(value)}::jsonb`
}

/** The keys `pairedAs` were answered for at the site's own address. False: they are not the site's any more. */
export async function markProven({ db, workspaceId }: Db, id: string, pairedAs: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE sites SET status = 'connected', unproven = false
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND service_public = ${pairedAs} AND status <> 'disconnected'`.execute(db)
  return numAffectedRows === 1n
}

/** Whether the workspace has a client of that name, with sites or without. */
export async function isClient({ db, workspaceId }: Db, name: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM clients WHERE (workspace_id, name) = (${workspaceId}, ${name})`.execute(db)
  return rows.length > 0
}

/** Of the workspace. */
export async function countSites({ db, workspaceId }: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::integer AS n FROM sites WHERE workspace_id = ${workspaceId}`.execute(db)
  return rows[0]?.n ?? 0
}

/** Keeps the site from being removed until the transaction ends. */
export async function holdSite({ db, workspaceId }: Db, id: string): Promise<Pick<Site, 'id' | 'status'> | undefined> {
  const { rows } = await sql<Pick<Site, 'id' | 'status'>>`SELECT id, status FROM sites
    WHERE workspace_id = ${workspaceId} AND id = ${id} FOR KEY SHARE`.execute(db)
  return rows[0]
}

/** The one look-up by id alone: a site signs for itself and so names only itself. */
export async function findWorkspaceOfSite(db: Kysely<unknown>, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ workspace_id: string }>`SELECT s.workspace_id FROM sites s
    JOIN workspaces w ON w.id = s.workspace_id WHERE s.id = ${id} AND w.deleted_at IS NULL`.execute(db)
  return rows[0]?.workspace_id
}

export interface RebuiltSite {
  id: string
  url: string
  home: string
}

/** A site of which only backups are left. It has no keys, so it is disconnected until it is paired again. True: it was missing. */
export async function insertRebuiltSite({ db, now, workspaceId }: DatedDb, site: RebuiltSite): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public,
      sealed_service_key, site_public, created_at, updated_at)
    VALUES (${workspaceId}, ${site.id}, ${new URL(site.url).host}, ${site.url}, ${site.home}, 'disconnected', '', '', '', '', ${now()}, ${now()})
    ON CONFLICT DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}
