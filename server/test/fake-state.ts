// What a fake WordPress site holds in memory. Tests may change any of it while the site runs.
import type { z } from 'zod'
import type { Captured } from '../src/connector/error-commands.ts'
import type { Facts } from '../src/connector/security-commands.ts'
import { type FakeItem, sampleItems } from './fake-items.ts'
import { type FakeTweaks, fakeTweaks } from './fake-tweaks-state.ts'

export type FakeValue = string | number | null | Buffer
export type FakeTable = {
  name: string
  kind: 'table' | 'view'
  create: string
  auto_increment: number | null
  columns: { name: string; type: string; binary: boolean; generated: boolean }[]
  key: string[]
  rows: FakeValue[][]
  triggers?: { name: string; create: string; sql_mode: string; charset: string; collation: string }[]
  written_s?: number
}
export type FakeFile = { bytes: Buffer; mode: number; mtime: number; ctime: number; inode: number; target?: string }
export type FakeTicket = { user: string; requester: string; expiresAt: number }
/** Something that really happened on the site. A repeat answered from memory is none. */
export type FakeEffect = { verb: string; requestId: string; params: Record<string, unknown> }

/** A restore as the site keeps it. */
export type FakeRestore = {
  id: string
  job: string
  fence: number
  phase: string
  probe: string
  deadline: number
  keptUntil: number
  extra: string[]
  /** What it was begun with. */
  asked: Record<string, unknown>
  /** By what a restore was begun with, and what came of events. */
  events: unknown[]
  stage: Map<string, Buffer>
  sql: Map<string, Buffer>
  tables: Map<string, FakeTable>
  plan: string
  ops: unknown[]
  old: { files: Map<string, FakeFile>; tables: FakeTable[]; items: FakeItem[]; wpVersion: string } | undefined
}
export type FakePage = { status: number; headers?: Record<string, string>; body?: string | Buffer }
/** An update as the site keeps it. */
export type FakeUpdate = {
  id: string
  job: string
  fence: number
  type: string
  file: string
  phase: string
  echo: string
  /** Marks of looks that were used. */
  marks: Set<string>
  deadline: number
  busy: boolean
  /** It took itself back because it let nobody through. */
  hung?: boolean
  /** It took itself back because nobody came after a change of what every request needs. */
  shut?: boolean
  /** The item as it was. */
  copy: FakeItem | undefined
  translations: number
}
/** `by`: a look of the service met it, it lies in the item, or neither. */
export type FakeFatal = { message: string; file: string; line: number; by: 'look' | 'item' | 'other' }
/** What a version does to the site it is installed on. */
export type FakeDefect =
  | ('dead' | 'front_500' | 'blank' | 'half' | 'wordless' | 'hidden' | 'leads_away' | 'deactivates' | 'renamed')
  | (
      | 'admin_500'
      | 'moved'
      | 'nobody_in'
      | 'no_events'
      | 'rest_broken'
      | 'rest_moved'
      | 'rest_editors_500'
      | 'cron_500'
      | 'feed_broken'
      | 'search_500'
      | 'sign_in_500'
      | 'silent'
      | 'cut_off'
      | 'astray'
      | 'switches_off'
      | 'loses_events'
    )
/** Cuts the line, or answers an error in the place of the verb. */
export type FakeFault = 'cut' | { code: string; message: string } | undefined

/** A PHP error as the site keeps it; `id` is what it is told by. */
export type FakeError = z.input<typeof Captured>

export type FakeState = {
  name: string
  /** What its inventory says that it is called; undefined: nothing, as of an older connector. */
  title?: string
  /** Where it says that visitors find it, when that is elsewhere. */
  home?: string
  wpVersion: string
  phpVersion: string
  connectorVersion: string
  multisite: boolean
  maintenance: boolean
  /** The site's clock minus that of its `now`. */
  skewSeconds: number
  /** Bytes of a row's text that PHP's memory still allows. */
  mostRow: number
  clone: boolean
  installId: string
  disallowFileMods: boolean
  /** Translations that wait. */
  /** Whether it gets an answer when it asks what is on offer. */
  hears: boolean
  translations: number
  /** By file, what the site hears is on offer when it asks next; what it has heard when absent. */
  offered?: Record<string, NonNullable<FakeItem['update']>>
  /** What breaks this site, by `file@version`. */
  defects: Record<string, FakeDefect>
  /** Whether a version can be tried before it is installed. */
  trials: boolean
  /** What was held back of a trial. */
  held: string[]
  /** Which requests of a trial had to go without something, by their nonce and what they asked for; undefined: an older connector does not say. */
  lacking?: (verb: string, path: string) => boolean
  /** The nonces of those. */
  without: string[]
  /** Whether the version wrote to the database in its trial. */
  wrote: boolean
  /** Vital options that are others than before the update. */
  changed: string[]
  /** What of those it cannot put back. */
  unmended: string
  /** Whether it could note those. */
  noted: boolean
  /** Why the connector would not begin an update. */
  guardSays: string
  /** Why what an update replaces cannot be copied. */
  copyFails: string
  /** How often the connector answers yet that there is more to copy. */
  copySlices: number
  /** PHP errors since the last update, as the connector tells them. */
  fatals: FakeFatal[]
  update: FakeUpdate | undefined
  /** This request is one of a trial. */
  trial?: boolean
  /** A page cache that looks at the path only: what it has it gives, whatever became of the site. */
  pageCache: Map<string, { status: number; body: Buffer }> | undefined
  /** Milliseconds that an update takes. */
  updateMs: number
  /** It is not over before this is kept. */
  updateUntil?: Promise<void> | undefined
  /** An upgrader that says it failed, before or after the new files were there. */
  updateFails?: { reason: string; installed: boolean } | undefined
  /** The version an update says it ended at, when that is not the one on offer. */
  updatesTo?: string
  prefix: string
  items: FakeItem[]
  /** Its administrators and settings as the inventory tells them; absent: an older connector tells none. */
  choices?: { admins?: { id: number; login: string }[] | null; settings?: Record<string, string | boolean> }
  users: string[]
  tables: FakeTable[]
  /** What `db.tables` tells beside the tables. */
  database: Record<string, unknown>
  /** What `restore.survey` says over the usual. */
  survey: Record<string, unknown>
  /** What of its database it could not make again. */
  lacks: string[]
  /** Rows of others that refer to what a restore took away. */
  orphans: { table: string; key: string; rows: number }[]
  /** Of how many such keys that is not known. */
  unlooked: number
  /** What it was asked with last. */
  surveyed: Record<string, unknown>
  /** Whether the database can be told as of one moment. */
  snapshots: boolean
  /** The text of a row that a digest is made of, when it is not the row itself. */
  digested?: (table: FakeTable, row: FakeValue[]) => string
  /** What is told in the place of rows. */
  told?: (rows: string, table: FakeTable) => string
  /** Of a root other than WordPress's own folder with its id and a colon before the path. */
  files: Map<string, FakeFile>
  /** Its roots; without them the connector is an older one, which knows but one and tells nothing of what leads out. */
  roots?: { id: string; path: string; at?: string; only?: string[]; writable?: boolean; was?: boolean }[]
  /** Links that lead out of all roots, and why. */
  outside: Map<string, string>
  /** Folders of WordPress's own in which PHP may not write. */
  sealed: Set<string>
  /** What of a restore got another group than it had. */
  ungrouped: string[]
  /** What is no part of a backup with all below it, and why. */
  excluded: Map<string, string>
  tickets: Map<string, FakeTicket>
  /** Users who came in through a one-click login. */
  logins: string[]
  effects: FakeEffect[]
  restore: FakeRestore | undefined
  /** The option by which a restore is recognised. */
  marker: string
  /** Why this site could not take a restore. */
  obstacle: string
  tweaks: FakeTweaks
  /** What the site says of its security, over what it says by itself. */
  facts: Partial<Facts>
  /** PHP errors that wait for the service. */
  phpErrors: FakeError[]
  /** Errors in the log that the site has; undefined: it has none. */
  phpLog?: Omit<FakeError, 'id'>[]
  /** What the site says of its errors, over what it says by itself. */
  errorsSay: Record<string, unknown>
  /** What a visitor is answered, when it is not the usual page. `ours`: a look of the service during an update. */
  page: ((method: string, path: string, body: string, ours?: boolean) => FakePage | undefined) | undefined
  /** Every page ends in an error. */
  broken: () => boolean
  /** WordPress does not start: every page and every door is a 500, but for the standing one. */
  dead: () => boolean
  /** Its database does not know the service any more: every door is a page, but for the standing one, and the rescue door of what is at work. */
  deaf: () => boolean
  /** Path of the standing door; '' where the host lets none be. */
  standing: string
  /** Asked before and after each verb. */
  fault: ((verb: string, moment: 'before' | 'after') => FakeFault) | undefined
}

/** A site of a few kilobytes: core, two plugins (one outdated), a theme, three tables, some files. */
export function sampleState(): FakeState {
  const state = bareState()
  state.tables = sampleTables(state.prefix)
  const files: [string, string | Buffer][] = [
    ['index.php', '<?php // Silence is golden.\n'],
    ['wp-config.php', "<?php\ndefine( 'DB_NAME', 'wordpress' );\n"],
    ['wp-content/plugins/garden/garden.php', '<?php\n/* Plugin Name: Garden */\n'],
    ['wp-content/themes/meadow/style.css', '/* Theme Name: Meadow */\n'],
    ['wp-content/uploads/2026/11/sunflower.jpg', Buffer.alloc(70_000, 0xa7)],
    ['wp-content/uploads/2026/11/notes.txt', 'A line of notes.\n'.repeat(2_000)],
    ['wp-content/uploads/empty.txt', ''],
    ['wp-content/uploads/line\nbreak.txt', 'A name with a line break.\n'],
  ]
  for (const [path, bytes] of files) putFile(state, path, bytes)
  return state
}

/** No files, no tables: cheap enough for a thousand of them. */
export function bareState(): FakeState {
  return {
    name: 'Fake Garden',
    wpVersion: '6.8.1',
    phpVersion: '8.2.20',
    connectorVersion: '0.1.0',
    multisite: false,
    maintenance: false,
    skewSeconds: 0,
    mostRow: Number.POSITIVE_INFINITY,
    clone: false,
    installId: 'fake0123456789abcdef',
    disallowFileMods: false,
    translations: 0,
    hears: true,
    defects: {},
    trials: true,
    held: [],
    without: [],
    wrote: false,
    changed: [],
    unmended: '',
    noted: true,
    guardSays: '',
    copyFails: '',
    copySlices: 0,
    fatals: [],
    update: undefined,
    pageCache: undefined,
    updateMs: 0,
    prefix: 'wp_',
    items: sampleItems(),
    users: ['admin', 'editor'],
    tables: [],
    snapshots: true,
    files: new Map(),
    outside: new Map(),
    sealed: new Set(),
    ungrouped: [],
    excluded: new Map(),
    tickets: new Map(),
    logins: [],
    effects: [],
    restore: undefined,
    marker: '',
    obstacle: '',
    database: {},
    survey: { ties: true },
    lacks: [],
    orphans: [],
    unlooked: 0,
    surveyed: {},
    tweaks: fakeTweaks(),
    facts: {},
    phpErrors: [],
    errorsSay: {},
    page: undefined,
    broken: () => false,
    dead: () => false,
    deaf: () => false,
    standing: '',
    fault: undefined,
  }
}

/** Writes a file as the site's owner would. */
export function putFile(state: FakeState, path: string, bytes: string | Buffer, mtime = 1_760_000_000): void {
  const inode = state.files.get(path)?.inode ?? 1_000 + state.files.size
  state.files.set(path, { bytes: Buffer.from(bytes), mode: 0o644, mtime, ctime: mtime, inode })
}

function sampleTables(prefix: string): FakeTable[] {
  const column = (name: string, type: string, binary = false) => ({ name, type, binary, generated: false })
  const create = (name: string, rest: string) => `CREATE TABLE \`${name}\` (${rest}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`
  const options = Array.from({ length: 120 }, (_, i): FakeValue[] => [i + 1, `option_${i}`, `value ${i} of 'quoted' \\ text\n🌻`])
  return [
    {
      name: `${prefix}options`,
      kind: 'table',
      create: create(
        `${prefix}options`,
        '`option_id` bigint NOT NULL AUTO_INCREMENT, `option_name` varchar(191), `option_value` longtext, PRIMARY KEY (`option_id`)',
      ),
      auto_increment: options.length + 1,
      columns: [column('option_id', 'bigint'), column('option_name', 'varchar(191)'), column('option_value', 'longtext')],
      key: ['option_id'],
      rows: options,
    },
    {
      name: `${prefix}blobs`,
      kind: 'table',
      create: create(`${prefix}blobs`, '`id` varbinary(8) NOT NULL, `bytes` longblob, PRIMARY KEY (`id`)'),
      auto_increment: null,
      columns: [column('id', 'varbinary(8)', true), column('bytes', 'longblob', true)],
      key: ['id'],
      rows: [
        [Buffer.from('00ff', 'hex'), Buffer.from([0, 39, 92, 255])],
        [Buffer.from('01', 'hex'), null],
      ],
    },
    {
      name: `${prefix}keyless`,
      kind: 'table',
      create: create(`${prefix}keyless`, '`note` text'),
      auto_increment: null,
      columns: [column('note', 'text')],
      key: [],
      rows: Array.from({ length: 25 }, (_, i) => [`note ${i}`]),
    },
  ]
}
