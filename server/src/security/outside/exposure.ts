// Files that nobody should be able to read, recognised by what is in them. What is in them is never kept.
import type { Page } from '../../sites/visit.ts'
import { finding } from '../checks.ts'
import type { NewFinding } from '../schema.ts'
import type { PoliteVisitor } from './visitor.ts'

interface Lure {
  paths: (host: string) => string[]
  at: 'home' | 'url'
  /** What the answer must look like; in words for the evidence. */
  is: (page: Page) => string | undefined
  maxBytes?: number
}

const starts = (page: Page, ...magic: number[]) => page.bytes.subarray(0, magic.length).equals(Buffer.from(magic))
const looksLikeHtml = ({ text }: Page) => /^\s{0,200}(<!doctype|<html|<head|<\?xml)/i.test(text)

function isConfig(page: Page): string | undefined {
  if (page.text.startsWith('b0VIM') && /wp-config|DB_/.test(page.text)) return 'a swap file of an editor'
  return /define\s{0,5}\(\s{0,5}['"]DB_(NAME|PASSWORD|USER)['"]/.test(page.text) ? 'the constants of wp-config.php' : undefined
}

function isDump(page: Page): string | undefined {
  if (starts(page, 0x50, 0x4b, 3, 4)) return 'a zip archive'
  if (starts(page, 0x1f, 0x8b)) return 'a gzip archive'
  if (looksLikeHtml(page)) return undefined
  const head = page.text.slice(0, 4096)
  const isSql = /^-- (MySQL|MariaDB|phpMyAdmin|Adminer|WordPress|Dump)|^\/\*!\d{5}|^(CREATE|DROP) TABLE |^INSERT INTO `/m.test(head)
  return isSql ? 'a database dump' : undefined
}

function isEnvironment(page: Page): string | undefined {
  if (looksLikeHtml(page)) return undefined
  const lines = page.text.slice(0, 8192).split('\n')
  return lines.filter((line) => /^(export )?[A-Z][A-Z0-9_]{2,60}=/.test(line)).length >= 2
    ? 'names and values of an environment'
    : undefined
}

const isLog = ({ text }: Page) =>
  /^\[\d{1,2}-\w{3}-\d{4} \d{2}:\d{2}:\d{2}[^\]\n]{0,40}\] PHP /m.test(text.slice(0, 16_384)) ? 'messages of PHP’s error log' : undefined

const lures: Record<string, Lure[]> = {
  readme_exposed: [
    {
      paths: () => ['/readme.html'],
      at: 'url',
      is: ({ text }) =>
        /Semantic Personal Publishing Platform|<title>WordPress &rsaquo; ReadMe/.test(text) ? 'WordPress’s readme' : undefined,
    },
    {
      paths: () => ['/license.txt'],
      at: 'url',
      is: ({ text }) => (/^\s{0,10}WordPress - Web publishing software/.test(text) ? 'WordPress’s licence' : undefined),
    },
  ],
  config_exposed: [
    {
      paths: () =>
        ['.bak', '~', '.old', '.save', '.orig', '.txt', '.swp', '_bak']
          .map((end) => `/wp-config.php${end}`)
          .concat(['/.wp-config.php.swp', '/wp-config.bak', '/wp-config.old', '/wp-config.txt']),
      at: 'url',
      is: isConfig,
    },
  ],
  vcs_exposed: [
    {
      paths: () => ['/.git/HEAD'],
      at: 'home',
      is: ({ text }) => (/^(ref: refs\/[\w./-]{1,200}|[0-9a-f]{40})\s{0,3}$/.test(text) ? 'the name of a branch' : undefined),
    },
    {
      paths: () => ['/.svn/wc.db'],
      at: 'home',
      is: ({ text }) => (text.startsWith('SQLite format 3\0') ? 'Subversion’s database' : undefined),
      maxBytes: 1024,
    },
  ],
  env_exposed: [{ paths: () => ['/.env'], at: 'home', is: isEnvironment }],
  backup_exposed: [
    {
      paths: (host) => [
        ...[`/${host}.zip`, `/${host}.tar.gz`, `/${host}.sql`, `/${host}.sql.gz`],
        ...['/backup.zip', '/backup.tar.gz', '/backup.sql', '/dump.sql', '/database.sql', '/db.sql'],
        ...['/wordpress.zip', '/public_html.zip', '/wp-content.zip', '/wp-content/mysql.sql'],
      ],
      at: 'home',
      is: isDump,
      maxBytes: 4096,
    },
  ],
  debug_log_exposed: [{ paths: () => ['/wp-content/debug.log', '/error_log'], at: 'url', is: isLog }],
  phpinfo_exposed: [
    {
      paths: () => ['/phpinfo.php', '/info.php', '/test.php', '/i.php'],
      at: 'home',
      is: ({ text }) => (/<title>(PHP [\d.\w+-]{1,40} - )?phpinfo\(\)<\/title>/.test(text) ? 'the page of phpinfo()' : undefined),
    },
  ],
  directory_listing: [
    {
      paths: () => ['/wp-content/uploads/', '/wp-content/plugins/', '/wp-includes/'],
      at: 'url',
      is: ({ text }) =>
        /<title>\s{0,20}(Index of \/|Directory listing for \/|LiteSpeed.{0,40}Index)/i.test(text.slice(0, 8192))
          ? 'a list of its files'
          : undefined,
    },
  ],
}

/** One probe for each kind of file; each finding names what was found where. */
export const exposures: Record<string, (visitor: PoliteVisitor, host: string) => Promise<NewFinding[]>> = Object.fromEntries(
  Object.entries(lures).map(([id, wanted]) => [id, (visitor: PoliteVisitor, host: string) => seek(id, wanted, visitor, host)]),
)

async function seek(id: string, wanted: Lure[], visitor: PoliteVisitor, host: string): Promise<NewFinding[]> {
  const lines: string[] = []
  for (const { paths, at, is, maxBytes } of wanted)
    for (const path of paths(host)) {
      const page = await visitor.get(path, { at, ...(maxBytes !== undefined && { maxBytes }) })
      const what = page.status === 200 || page.status === 206 ? is(page) : undefined
      // A site that gives the same to every name has not given away this file.
      if (what !== undefined && is(await visitor.nowhere(endOf(path))) === undefined)
        lines.push(`GET ${path} answered ${page.status} with ${what}.`)
    }
  return lines.length > 0 ? [finding(id, { evidence: lines })] : []
}

const endOf = (path: string) => (path.endsWith('/') ? '/' : (/\.[\w.~]{1,12}$/.exec(path)?.[0] ?? ''))
