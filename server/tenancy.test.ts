import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, 'src')
const migrations = globSync('*.sql', { cwd: join(import.meta.dirname, 'migrations') })
  .map((file) => readFileSync(join(import.meta.dirname, 'migrations', file), 'utf8'))
  .join('\n')
/** What belongs to a workspace says so in a column. */
const tables = [...migrations.matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\n\)/g)].flatMap(([, name = '', columns = '']) =>
  /^\s*workspace_id\b/m.test(columns) ? [name] : [],
)
const names = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO|DELETE FROM)\\s+(${tables.join('|')})\\b`)

/** Statements on rows of any workspace, by file and function, and why. */
const ofAny: Record<string, string> = {
  'workspaces/store.ts holdsSetup': 'whether there is any owner at all',
  'workspaces/store.ts hasOwner': 'whether there is any owner at all',
  'workspaces/store.ts countOwned': 'a person who makes a further one, by all that are theirs',
  'members/session-store.ts findSession': 'a session says who is asking, and the person which workspace they look at',
  'members/session-store.ts findAccount': 'a person who signs in, in whatever workspace',
  'members/store.ts findOpenInvitation': 'an invitation says which workspace somebody joins',
  'members/store.ts takeInvitation': 'an invitation says which workspace somebody joins',
  'members/store.ts listMemberships': 'a person asks for all workspaces they are in',
  'tokens/store.ts findByHash': 'a token says which workspace is asking',
  'tokens/store.ts markUsed': 'notes of the service, by ids it read itself',
  'sites/store.ts findWorkspaceOfSite': 'a notice of a site says which workspace it belongs to, and its signature proves it',
  'pairing/store.ts holdCode': 'a code says which workspace a site joins',
  'security/check-store.ts reopenExpired': 'the clock, for all workspaces',
  'security/feed-store.ts workspacesToCompare': 'the clock, for all workspaces',
  'platform/clock-store.ts sitesWithoutTurn': 'the clock, for all workspaces',
  'platform/clock-store.ts seedSiteTurns': 'the clock, for all workspaces',
  'platform/clock-store.ts workspacesWithoutTurn': 'the clock, for all workspaces',
  'platform/clock-store.ts leaseTurn': 'the clock, for all workspaces',
  'platform/clock-store.ts claimTurn': 'the clock, for all workspaces',
  'approvals/store.ts endOverdue': 'the clock, for all workspaces',
  'rollouts/store.ts listOpen': 'the clock, for all workspaces',
  'rollouts/windows-store.ts claimWindow': 'the clock, for all workspaces',
  'jobs/store.ts listOpenJobs': 'the sweep, for all workspaces',
  'platform/audit.ts insert': 'a batch of rows, each with its workspace',
  'kernel/idempotency.ts sweep': 'what is older than a day, whose ever it was',
  'backups/prune-store.ts recordHeldPack': 'its rows come with their workspace',
  'backups/prune-store.ts moveBlobs': 'its rows come with their workspace',
  'backups/store.ts findStoredBackup': 'the operator, who names a backup by its id alone',
  'admin/commands.ts workspaceOfToken': 'the operator, who names a token by its id alone',
  'uptime/sweep-store.ts claimDue': 'the clock, for all workspaces',
  'uptime/sweep-store.ts hasten': 'the clock: all sites of one server, whose they may be',
  'uptime/sweep-store.ts saveChecks': 'its rows come with their workspace',
  'uptime/sweep-store.ts putAway': 'its rows come with their workspace',
  'uptime/sweep-store.ts saveStates': 'its rows come with their workspace',
  'errors/collect-store.ts claimDue': 'the clock, for all workspaces',
  'notifications/gather-store.ts takeHappenings': 'the clock, for all workspaces',
  'notifications/gather-store.ts listEndingCertificates': 'the clock, for all workspaces',
  'notifications/gather-store.ts insertNotices': 'its rows come with their workspace',
  'notifications/deliver-store.ts claimDeliveries': 'the clock, for all workspaces',
  'clients/store.ts claimDueClient': 'the clock, for all workspaces',
  'reports/mail-store.ts claimMails': 'the clock, for all workspaces',
  'reports/mail-store.ts findReturned': 'a return address says which mail came back',
  'reports/store.ts claimDueDraft': 'the clock, for all workspaces',
  'reports/link-store.ts followLink': 'a private link says which report somebody reads',
  'workspaces/store.ts listBeingDeleted': 'the operator, for all workspaces',
  'holdings/store.ts listDeletions': 'the operator, for all workspaces',
  'holdings/clear-store.ts claimDeletion': 'the clock, for all workspaces',
  'sites/live-look.ts shared': 'its place is handed to it, workspace and site',
}

interface Statement {
  where: string
  text: string
  /** A part of the file that says whose rows they are, and is put into the statement. */
  carried: boolean
}

/** From its backtick to the one that ends it, with what is put in between. */
function templateAt(text: string, from: number): string {
  let depth = 0
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text.startsWith('${', at) || (depth > 0 && text[at] === '{')) {
      depth++
      if (text[at] === '$') at++
    } else if (text[at] === '}' && depth > 0) depth--
    else if (text[at] === '`' && depth === 0) return text.slice(from, at + 1)
    else if (text[at] === '`') at += templateAt(text, at).length - 1
  }
  throw new Error(`A template has no end: ${text.slice(from, from + 200)}`)
}

/** With the names of tables that a file keeps as `const joined = sql.raw('…')` where they are used. */
function spelledOut(text: string): string {
  const raw = [...text.matchAll(/^const (\w+) = sql\.raw\('([^']*)'\)/gm)]
  return raw.reduce((whole, [, name = '', words = '']) => whole.replaceAll(`\${${name}}`, words), text)
}

/** Without what is selected within: whose rows that reads says nothing of the rows outside. */
const withoutInner = (text: string) => text.replaceAll(/\(SELECT\b(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, '()')

function statementsOf(file: string): Statement[] {
  const text = spelledOut(readFileSync(join(src, file), 'utf8'))
  const parts = text.split(/^(?=(?:export )?(?:async )?(?:function|const|class|interface|type) \w)/m)
  const nameOf = (part: string) => /^(?:export )?(?:async )?(?:function|const|class) (\w+)/.exec(part)?.[1] ?? ''
  const carriers = parts
    .filter((part) => /workspace_id[\s\S]*workspaceId/.test(withoutInner(part)))
    .map(nameOf)
    .filter(Boolean)
  return parts.flatMap((part) => {
    const found: Statement[] = []
    const local = [...part.matchAll(/const (\w+) = sql`[^`]*workspace_id[^`]*workspaceId/g)].map(([, name = '']) => name)
    for (const start = /(?<![.\w])sql(?:<[^`]*?>)?`/g; ; ) {
      const match = start.exec(part)
      if (!match) return found
      const template = templateAt(part, match.index + match[0].length - 1)
      start.lastIndex = match.index + match[0].length - 1 + template.length
      const carried = [...carriers, ...local].some((name) => new RegExp(`\\$\\{${name}\\b`).test(template))
      found.push({ where: `${file} ${nameOf(part)}`, text: template, carried })
    }
  })
}

const statements = globSync('**/*.ts', { cwd: src })
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap(statementsOf)
  .filter(({ text }) => names.test(text))

/** A part of a statement need only go by the rows of the whole. */
const isWhole = (text: string) => /^`\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)
const isBound = ({ text, carried }: Statement) =>
  carried || (/workspace_id/.test(text) && (!isWhole(text) || /\$\{[^}]*workspace(Id|_id)/.test(text)))

test('every statement on rows of a workspace says of which', () => {
  assert.ok(tables.length > 20 && statements.length > 120, `${tables.length} tables, ${statements.length} statements`)
  const loose = statements.filter((each) => !isBound(each))
  assert.deepEqual(
    loose.filter(({ where }) => !(where in ofAny)).map(({ where, text }) => `${where}: ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`),
    [],
  )
  assert.deepEqual(
    Object.keys(ofAny).filter((where) => !loose.some((each) => each.where === where)),
    [],
    'these are exceptions no more',
  )
})
