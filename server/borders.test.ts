// Capabilities know each other by what they export: never by the types of each other's jobs, nor by each other's tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { capabilities, jobKinds } from './src/capabilities.ts'
import { aDatabase } from './test/database.ts'
import { readSource, type Statement, sourceFiles, statements, statementsIn, tables } from './test/statements.ts'

const types = [...jobKinds.keys()]
/** A type of a job where it is compared, in SQL or in code. */
const compared = new RegExp(
  `\\btype\\b[)"]?\\s*(?:[=!]==?|=|<>|(?:NOT )?IN \\(|(?:=|<>) (?:ANY|ALL) ?\\()[^)\\n;]*?'(${types.join('|')})'`,
  'gi',
)
const typesIn = (text: string) => [...text.matchAll(compared)].map(([, type = '']) => type)
/** Of a type of job, the folder whose jobs are of it. */
const homeOfType = new Map(
  Object.entries(capabilities).flatMap(([home, { jobs = [] }]: [string, { jobs?: readonly { type: string }[] }]) =>
    jobs.map(({ type }) => [type, home]),
  ),
)

test('no capability goes by the type of another’s job', () => {
  assert.ok(types.length > 10)
  const foreign = sourceFiles.flatMap((file) =>
    typesIn(readSource(file)).flatMap((type) => (file.startsWith(`${homeOfType.get(type)}/`) ? [] : [`${file}: '${type}'`])),
  )
  assert.deepEqual(foreign, [], 'its kind tells what is to be known of it, or its capability asks')
  for (const written of [
    "type === 'update'",
    "j.type IN ('restore', 'undo_restore')",
    "type = ANY(ARRAY['restore'])",
    "NEW.type <> 'update'",
  ])
    assert.equal(typesIn(written).length, 1, written)
  for (const written of ["category: 'update'", "kind === 'backup'", "i->>'type' AS type, 'update'"]) assert.deepEqual(typesIn(written), [])
})

test('no trigger goes by the type of a job', async () => {
  const database = await aDatabase()
  const going = async () => {
    const { rows } = await sql<{ name: string; text: string }>`SELECT tgname AS name, pg_get_triggerdef(oid) AS text FROM pg_trigger
      WHERE NOT tgisinternal UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace`.execute(database.db)
    return rows.filter(({ text }) => typesIn(text).length > 0).map(({ name }) => name)
  }
  try {
    assert.deepEqual(await going(), [], 'what the kind of the job says stands in the job’s row')
    await sql`CREATE TRIGGER planted AFTER UPDATE ON jobs FOR EACH ROW WHEN (NEW.type IN ('held', 'update')) EXECUTE FUNCTION hasten_php_errors()`.execute(
      database.db,
    )
    assert.deepEqual(await going(), ['planted'])
  } finally {
    await database.drop()
  }
})

/** Whose a table is; of the others it is the folder that inserts its rows. */
const owners: Record<string, readonly string[]> = {
  // Whoever makes a workspace makes its first owner.
  users: ['workspaces', 'members'],
  members: ['workspaces', 'members'],
  // The master key's id comes with the first start.
  installation: ['platform', 'workspaces'],
  // Its only row comes with its migration.
  feed_version: ['vulnerabilities'],
}
/** Everything is about a site of a workspace, and most of it is done by jobs: these are read by all, and written by their own. */
const ground = new Set(['workspaces', 'sites', 'jobs'])
/** A capability that ends a workspace, with everything in it. */
const takesAllAway = 'holdings'

/** Statements on tables of others, by file and function, and why. */
const across: Record<string, string> = {
  'workspaces/store.ts listBeingDeleted': 'a recovery kit has no keys of workspaces that are taken away, and lies below what takes them',
  'sites/store.ts isClient': 'a site names its client by a foreign key',
  'tokens/calls.ts listCalls': 'the audit table is the platform’s, and read by those that show it',
  'tokens/calls.ts pageOfCalls': 'the audit table is the platform’s, and read by those that show it',
  'audit/store.ts listAudit': 'the audit table is the platform’s; callers are shown by their names, and found by them',
  'audit/store.ts countAudit': 'the audit table is the platform’s; callers are shown by their names, and found by them',
  'backups/store.ts dropBackup': 'a backup that a job relies on is kept, and both are decided in one statement',
  'backups/chain.ts nextInChain': 'the number of the last backup stands in the workspace’s row, which is locked with it',
  'backups/chain.ts liftCounter': 'the number of the last backup stands in the workspace’s row, which is locked with it',
  'performance/store.ts listChanges': 'what came before a slow page is a job or an entry of the activity, in one order',
  'uptime/sweep-store.ts claimDue': 'turns are claimed with what is needed to look, once for thousands of sites',
  'uptime/sweep-store.ts hasten': 'turns of all sites of one server are moved by where these are',
  'errors/collect-store.ts claimDue': 'turns are claimed with what is needed to ask',
  'timetable/store.ts readTimetable': 'when each turn is next is what it tells',
  'notifications/gather-store.ts takeHappenings':
    'what a message says of what triggers wrote down, of up to 500 of every kind in one statement',
  'notifications/gather-store.ts listEndingCertificates': 'nothing happens when an end comes nearer, so it is looked for',
  'reports/store.ts listReports': 'a report is shown with its client',
  'reports/store.ts findReport': 'a report is shown with its client',
  'reports/facts-store.ts listWork': 'a report is put together from what others wrote down',
  'reports/facts-store.ts countWork': 'a report is put together from what others wrote down',
  'reports/facts-store.ts stillShown': 'a report is put together from what others wrote down',
  'reports/facts-store.ts sumUptime': 'a report is put together from what others wrote down',
  'reports/facts-store.ts listOutages': 'a report is put together from what others wrote down',
  'reports/facts-store.ts listSpeeds': 'a report is put together from what others wrote down',
  'reports/facts-store.ts listFindings': 'a report is put together from what others wrote down',
  'reports/facts-store.ts listRisks': 'a report is put together from what others wrote down',
  'reports/facts-store.ts listSitesOf': 'a report is put together from what others wrote down',
}

const named = /\b(INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN|USING)\s+(\w+)\b/g
const namedIn = ({ text }: Pick<Statement, 'text'>) =>
  [...text.matchAll(named)].flatMap(([, verb = '', table = '']) => (tables.includes(table) ? [{ verb, table }] : []))
const homeOf = ({ file }: Pick<Statement, 'file'>) => file.slice(0, file.indexOf('/'))

const inserting = new Map<string, Set<string>>()
for (const each of statements)
  for (const { verb, table } of namedIn(each))
    if (verb === 'INSERT INTO') inserting.set(table, (inserting.get(table) ?? new Set()).add(homeOf(each)))
const ownersOf = (table: string): readonly string[] => owners[table] ?? [...(inserting.get(table) ?? [])]

/** The tables of others that a statement names, but for the ground that it reads. */
const foreignIn = (each: Statement) =>
  namedIn(each).filter(
    ({ verb, table }) => !ownersOf(table).includes(homeOf(each)) && !(ground.has(table) && ['FROM', 'JOIN', 'USING'].includes(verb)),
  )

test('each table is one capability’s, and no statement of another names it, or says why', () => {
  assert.ok(tables.length > 60 && statements.length > 500)
  const shared = tables.filter((table) => !(table in owners) && ownersOf(table).length !== 1)
  assert.deepEqual(shared, [], 'rows are inserted by one folder')
  const foreign = statements.filter((each) => homeOf(each) !== takesAllAway && foreignIn(each).length > 0)
  assert.deepEqual(
    foreign.filter(({ where }) => !(where in across)).map((each) => `${each.where}: ${foreignIn(each).map(({ table }) => table)}`),
    [],
    'the capability whose table it is asks it, or lists a reason here',
  )
  assert.deepEqual(
    Object.keys(across).filter((where) => !foreign.some((each) => each.where === where)),
    [],
    'these are exceptions no more',
  )
})

test('a table of another is seen wherever it is named, and the ground only where it is written', () => {
  const seen = (text: string) =>
    statementsIn('links/x.ts', `const f = () => sql\`${text}\``).flatMap((each) => foreignIn(each).map(({ table }) => table))
  assert.deepEqual(seen('SELECT 1 FROM broken_links b JOIN findings f USING (workspace_id)'), ['findings'])
  assert.deepEqual(seen('SELECT (SELECT count(*) FROM backups) FROM sites'), ['backups'])
  assert.deepEqual(seen('UPDATE sites SET name = 1'), ['sites'])
  assert.deepEqual(seen('schedules WHERE enabled'), ['schedules'])
})
