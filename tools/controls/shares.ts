import type { Proofs } from './proof.ts'

/** What is asked is heard, and nobody takes more than a share. */
export const shares: Proofs = {
  'server/src/http/fairness.test.ts': {
    'a hundred slow … of one leave the other its reads, its writes and readiness': [
      'platform/pools.ts',
      'new Slots(each)',
      'new Slots(all)',
    ],
  },
  'server/src/http/strangers.test.ts': {
    'the plugin is read and packed once, however often it is fetched': ['http/made-once.ts', 'made ??=', 'made ='],
    'database and store are asked for readiness once in three seconds, whoever asks': [
      'http/health.ts',
      'if (Math.abs(at - last.at) >= keptMs) ',
      '',
    ],
    'sixty wrong tokens of an address are answered in a minute; a good one is let in all the same': [
      'http/wrong-tokens.ts',
      'if (seen.size >= perMinute) throw tooMany()',
      '',
    ],
  },
  'server/src/kernel/run.test.ts': {
    'a call takes its turn, and gives it back however it ends': [
      'kernel/run.ts',
      'await world.turn(workspaceId, turnOf(operation), call.signal)',
      '() => {}',
    ],
    'the audit record cannot be changed, taken away or emptied': [
      'server/migrations/0001_kernel.sql',
      'BEFORE TRUNCATE ON audit',
      'BEFORE TRUNCATE ON activity',
    ],
    'a key is for one operation: another one with the same key and payload is done as well': [
      'kernel/idempotency.ts',
      'const at = sql`(workspace_id, caller_id, operation, key) = (${caller.workspaceId}, ${caller.id}, ${operation.name}, ${key.name})`',
      'const at = sql`(workspace_id, caller_id, key) = (${caller.workspaceId}, ${caller.id}, ${key.name})`',
    ],
  },
  'server/src/kernel/budget.test.ts': {
    'two hundred login links at once, with two tokens on two nodes: twenty are made, and it is told once': [
      'kernel/run.ts',
      '    await spend(context, operation, input)\n',
      '',
    ],
  },
  'server/src/schedules/keeping.test.ts': {
    'a write token cannot begin to delete, keep fewer, or leave what keeps more': [
      'kernel/run.ts',
      '    await mustBeOwner(operation, context, input)\n',
      '',
    ],
    'what an owner lowers holds a day later, and can be taken back until then': ['schedules/keeping.ts', '24 * 3_600_000', '0'],
  },
  'server/src/sites/live-look.test.ts': {
    '…: twenty calls at once on two nodes, and those of the next minute, are one look': [
      'sites/live-look.ts',
      'if (seconds === 0 ||',
      'if ((true as boolean) ||',
    ],
  },
  'server/src/projections/rest.test.ts': {
    'a dry run asked for in the query': [
      'projections/rest-input.ts',
      '(posted ? inQuery(operation, request, query) : inBody(request))',
      '[]',
    ],
  },
  'server/src/kernel/cursor.test.ts': {
    '…: what is no cursor is refused, and no empty page': ['kernel/cursor.ts', 'text.startsWith(sealOf(listing, place)) &&', ''],
  },
  'cli/src/arguments.test.ts': {
    '… is refused before anything is sent': ['cli/src/arguments.ts', '!optionsFor(entry).includes(name)', 'false'],
  },
  'server/tenancy.test.ts': {
    'every statement on rows of a workspace says of which': [
      'tokens/store.ts',
      'FROM tokens WHERE workspace_id = ${workspaceId} ORDER',
      "FROM tokens WHERE ${workspaceId} <> '' ORDER",
    ],
  },
  'server/src/updates/undo.test.ts': {
    'a stranger’s errors do not take an update back, and are told': ['updates/judge.ts', "by !== 'other'", 'by !== undefined'],
    'an error of the item itself takes it back, whatever strangers met beside it': ['updates/judge.ts', "by !== 'other'", "by === 'look'"],
  },
  'server/src/backups/foreign-statements.test.ts': {
    'a definition that is more than one statement leaves its table out, by name, and all others are there': [
      'backups/engine/pull-database.ts',
      'doubt: doubtOf(table)',
      'doubt: null',
    ],
  },
}
