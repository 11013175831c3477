import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statements as all, type Statement, statementsIn, tenantTables } from './test/statements.ts'

const names = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO|DELETE FROM)\\s+(?:(?:${tenantTables.join('|')})\\b|\\$\\{sql\\.table\\()`)

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
  'pairing/store.ts withHint': 'a code says which workspace a site joins',
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
  'platform/retention.ts letGo': 'the clock, for all workspaces',
  'platform/happenings.ts noteHappenings': 'its rows come with their workspace',
  'platform/audit.ts insert': 'a batch of rows, each with its workspace',
  'kernel/idempotency.ts sweep': 'what is older than a day, whose ever it was',
  'backups/prune-store.ts recordHeldPack': 'its rows come with their workspace',
  'backups/prune-store.ts moveBlobs': 'its rows come with their workspace',
  'backups/store.ts findStoredBackup': 'the operator, who names a backup by its id alone',
  'tokens/store.ts findWorkspaceOfToken': 'the operator, who names a token by its id alone',
  'uptime/sweep-store.ts claimDue': 'the clock, for all workspaces',
  'uptime/sweep-store.ts hasten': 'the clock: all sites of one server, whose they may be',
  'uptime/sweep-store.ts saveChecks': 'its rows come with their workspace',
  'uptime/sweep-store.ts putAway': 'its rows come with their workspace',
  'uptime/sweep-store.ts saveStates': 'its rows come with their workspace',
  'uptime/excuse-store.ts endUnproven': 'nobody watches any site, whose it may be',
  'uptime/excuse-store.ts tellUnproven': 'its rows come with their workspace',
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

const statements = all.filter(({ text }) => names.test(text))

/** A part of a statement need only go by the rows of the whole. */
const isWhole = (text: string) => /^`\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)
const isBound = ({ text, carried }: Statement) =>
  carried || (/workspace_id/.test(text) && (!isWhole(text) || /\$\{[^}]*workspace(Id|_id)/.test(text)))

test('every statement on rows of a workspace says of which', () => {
  assert.ok(tenantTables.length > 20 && statements.length > 120, `${tenantTables.length} tables, ${statements.length} statements`)
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

/** A table of workspaces where it is read or written, by the name it goes by there. */
interface Named {
  table: string
  alias: string
  /** What stands between the brackets around it, without what brackets within enclose. */
  around: string
  /** What comes behind it, up to the next table. */
  behind: string
}

const mention =
  /\b(?:FROM|JOIN|UPDATE|USING)\s+(?!(?:SET|OF|SKIP)\b)(\w+)(?:\s+(?:AS\s+)?(?!(?:ON|USING|WHERE|SET|JOIN|LEFT|INNER|CROSS|ORDER|GROUP|LIMIT|VALUES|SELECT|FOR|RETURNING|UNION|NATURAL|FULL|RIGHT|HAVING|DEFAULT|AS|FROM|AND|OR|TABLESAMPLE)\b)(\w+))?/g

/** Each level of brackets by itself, the innermost first. */
function levelsOf(text: string): string[] {
  const levels: string[] = []
  let rest = text.replaceAll(/\$\{[^{}]*\}/g, '$')
  for (const inner = /\(([^()]*)\)/; inner.test(rest); )
    rest = rest.replace(inner, (_, within: string) => {
      if (/\b(?:SELECT|UPDATE|DELETE|INSERT)\b/.test(within)) levels.push(within)
      return /\b(?:SELECT|UPDATE|DELETE|INSERT)\b/.test(within) ? '[]' : `[${within}]`
    })
  return [...levels, rest]
}

function namedIn(text: string): Named[] {
  return levelsOf(text).flatMap((around) =>
    around.split(/\bUNION\b|(?=\bINSERT\b)/).flatMap((part) => {
      const all = [...part.matchAll(mention)]
      return all.map(({ 1: table = '', 2: alias = table, index }, at) => ({
        table,
        alias,
        around: part,
        behind: part.slice(index, all[at + 1]?.index),
      }))
    }),
  )
}

/** Tables that are read without saying whose rows they are. One that is alone between its brackets needs no name for it. */
function looseIn({ text, carried }: Pick<Statement, 'text' | 'carried'>): string[] {
  return namedIn(text)
    .filter(({ table, alias, around, behind }) => {
      const alone = [...around.matchAll(mention)].length === 1
      const byName = new RegExp(`\\b${alias}\\.workspace_id\\b`).test(text) || /USING \[[^\]]*\bworkspace_id\b/.test(behind)
      return tenantTables.includes(table) && !byName && !(alone && (carried || /\bworkspace_id\b/.test(around)))
    })
    .map(({ table, alias }) => `${table} ${alias}`)
}

test('a total, a part that a file keeps and a table that is chosen are held to it as well', () => {
  const looseOf = (source: string) =>
    statementsIn('x.ts', source.replaceAll('@', '$')).filter((each) => names.test(each.text) && !isBound(each)).length
  assert.equal(looseOf("const total = () => countRows(db, sql`jobs WHERE status = 'queued'`)"), 1)
  assert.equal(looseOf('const total = () => countRows(db, sql`jobs WHERE workspace_id = @{workspaceId}`)'), 0)
  const mine = 'const mine = sql`workspace_id = @{workspaceId}`'
  assert.equal(
    looseOf(`function f() {\n  ${mine}\n  return sql\`SELECT @{of(sql\`jobs WHERE @{mine}\`)}, @{of(sql\`sites WHERE true\`)}\`\n}`),
    1,
  )
  const kept = 'const joined = sql.raw(`jobs j\n JOIN sites s ON (s.workspace_id, s.id) = (j.workspace_id, j.site_id)`)\n'
  assert.equal(looseOf(`${kept}const f = () => sql\`SELECT 1 FROM @{joined} WHERE j.id = @{id}\``), 1)
  assert.equal(looseOf(`${kept}const f = () => sql\`SELECT 1 FROM @{joined} WHERE j.workspace_id = @{workspaceId}\``), 0)
  assert.equal(looseOf('const f = () => sql`DELETE FROM @{sql.table(table)} WHERE id = @{id}`'), 1)
})

test('every table of a join says of which workspace its rows are', () => {
  const whole = statements.filter(({ where, text }) => !(where in ofAny) && isWhole(text.replace(/^`[\s(]+/, '`')))
  assert.deepEqual(
    whole.flatMap((each) => looseIn(each).map((table) => `${each.where}: ${table}`)),
    [],
  )
  const found = (text: string) => looseIn({ text, carried: false })
  const mine = ['a.workspace_id = $', '{workspaceId}'].join('')
  assert.deepEqual(found(`SELECT a.id FROM jobs a JOIN sites s ON s.id = a.site_id WHERE ${mine}`), ['sites s'])
  assert.deepEqual(found(`SELECT a.id, (SELECT count(*) FROM jobs j WHERE j.site_id = a.id) FROM sites a WHERE ${mine}`), ['jobs j'])
  assert.deepEqual(found(`SELECT a.id FROM jobs a JOIN sites s ON (s.workspace_id, s.id) = (a.workspace_id, a.site_id) WHERE ${mine}`), [])
  assert.deepEqual(found(`SELECT a.id FROM jobs a JOIN job_steps USING (workspace_id, job_id) WHERE ${mine}`), [])
})
