import type { Proofs } from '../mutation/proof.ts'

/** What is asked is heard as it was meant, of the caller’s own workspace alone, and once. */
export const hearing: Proofs = {
  'server/src/projections/rest.test.ts': {
    'another workspace’s site is answered byte for byte like one that never was': [
      'sites/store.ts',
      's.workspace_id = ${workspaceId} AND s.id = ANY(${ids})',
      's.workspace_id <> ${workspaceId.slice(0, 2)} AND s.id = ANY(${ids})',
    ],
    'a site id in the body': [
      'projections/rest-input.ts',
      '  if (twice.length > 0) throw notValid(twice.map((path) => ({ path, message: inThePath })))\n',
      '',
    ],
    'a dry run asked for in the query': [
      'projections/rest-input.ts',
      '(posted ? inQuery(operation, request, query) : inBody(request))',
      '[]',
    ],
    'a dry run asked for twice in two spellings': ['kernel/json.ts', 'object.last = JSON.parse(found.slice(0, -1))', 'object.last = found'],
    'a huge body': ['projections/rest.ts', 'const bodyLimit = 64 * 1024', 'const bodyLimit = 64 * 1024 * 1024'],
    'a header that never ends does not hold a connection': ['http/server.ts', 'headersTimeout: 10_000', 'headersTimeout: 30_000'],
  },
  'server/src/projections/mcp-http.test.ts': {
    'the checks come in the order promised: …': [
      'projections/mcp-http.ts',
      'const bodyLimit = 1024 * 1024',
      'const bodyLimit = 64 * 1024 * 1024',
    ],
  },
  'server/src/projections/mcp-tool-call.test.ts': {
    'what a tool is given … is refused by name, and nothing is done': [
      'projections/mcp-tool-call.ts',
      '      if (misplaced.length > 0) refuse(misplaced)\n',
      '',
    ],
  },
  'server/test/heard.test.ts': {
    '… requests with one field in a wrong place or form, seed …: each is refused and changes nothing, or is a read': [
      'projections/rest-input.ts',
      '    ...(posted ? inQuery(operation, request, query) : inBody(request)),\n',
      '',
    ],
  },
  'server/test/foreign-ids.test.ts': {
    "… answers another workspace's … as one that never was": [
      'tokens/store.ts',
      'FROM tokens WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)\n  return rows[0]',
      "FROM tokens WHERE ${workspaceId} <> '' AND id = ${id}`.execute(db)\n  return rows[0]",
    ],
    'whatever another workspace does, no read here says anything else: no item, no total, no policy, no score': [
      'activity/store.ts',
      'a.workspace_id = ${db.workspaceId} AND ',
      'a.workspace_id <> ${db.workspaceId.slice(0, 2)} AND ',
    ],
  },
  'server/tenancy.test.ts': {
    'every statement on rows of a workspace says of which': [
      'tokens/store.ts',
      'FROM tokens WHERE workspace_id = ${workspaceId} ORDER',
      "FROM tokens WHERE ${workspaceId} <> '' ORDER",
    ],
  },
  'server/src/kernel/cursor.test.ts': {
    '…: what is no cursor is refused, and no empty page': ['kernel/cursor.ts', 'text.startsWith(checksumOf(listing, place)) &&', ''],
    '…: a cursor of another list, filter, site or workspace is refused': ['kernel/cursor.ts', '[list, workspaceId, given', '[list, given'],
  },
  'server/src/kernel/run.test.ts': {
    'a key is for one operation: another one with the same key and payload is done as well': [
      'kernel/idempotency.ts',
      'const at = sql`(workspace_id, caller_id, operation, key) = (${caller.workspaceId}, ${caller.id}, ${operation.name}, ${key.name})`',
      'const at = sql`(workspace_id, caller_id, key) = (${caller.workspaceId}, ${caller.id}, ${key.name})`',
    ],
    'the audit record cannot be changed, taken away or emptied': [
      'server/migrations/0001_kernel.sql',
      'BEFORE TRUNCATE ON audit',
      'BEFORE TRUNCATE ON users',
    ],
  },
  'server/src/connector/ask.test.ts': {
    'lost replies do not make a write happen twice': [
      'connector/ask.ts',
      'await exchange(deps, { ...wanted, timeoutMs: Math.max(',
      "await exchange(deps, { ...wanted, requestId: newId('req', deps.now()), timeoutMs: Math.max(",
    ],
  },
  'cli/src/arguments.test.ts': {
    '… is refused before anything is sent': ['cli/src/arguments.ts', '!optionsFor(entry).includes(name)', 'false'],
  },
  'cli/src/svc.test.ts': {
    'a write whose answer is lost is repeated with the same key': [
      'cli/src/request.ts',
      "...(key && { 'idempotency-key': key }),",
      "...(key && { 'idempotency-key': randomUUID() }),",
    ],
  },
}
