// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are lines of other files
// Planted faults, a line each: what must notice (a test file, a title in it; empty: any), where (file, what stands there once), what takes its place.
/** Its fields in the order of a line. */
export type Fault = readonly [test: string, title: string, file: string, from: string, to: string]

// biome-ignore format: a line each
export const faults: readonly Fault[] = [
  // kernel
  ['server/src/kernel/authorization.test.ts', '', 'kernel/run.ts', 'if (!caller.scopes.has(operation.scope))', 'if (false as boolean)'],
  ['server/src/kernel/authorization.test.ts', '', 'kernel/run.ts', 'if (caller.approvalOnly && !isRead(operation)', 'if (!caller.approvalOnly && !isRead(operation)'],
  ['server/src/kernel/run.test.ts', '', 'kernel/run.ts', "if ('data' in found && errors.length === 0) return", "if ('data' in found) return"],
  ['server/src/kernel/run.test.ts', '', 'kernel/run.ts', ': operation.output.parse(output)', ': output'],
  ['server/src/kernel/run.test.ts', '', 'kernel/run.ts', 'if (!sends) giveBack()', 'void sends'],
  ['server/src/kernel/run.test.ts', '', 'kernel/run.ts', '.sort(([a], [b]) => (a < b ? -1 : 1))\n      .map', '.map'],
  ['server/src/kernel/run.test.ts', '', 'kernel/run.ts', 'await world.audit(entry, db)', 'void db'],
  ['server/src/kernel/run.test.ts', '', 'kernel/idempotency.ts', 'const at = sql`(workspace_id, caller_id, operation, key) = (${caller.workspaceId}, ${caller.id}, ${operation.name}, ${key.name})`', 'const at = sql`(workspace_id, caller_id, key) = (${caller.workspaceId}, ${caller.id}, ${key.name})`'],
  ['server/src/kernel/run.test.ts', '', 'kernel/idempotency.ts', 'if (earlier.digest !== key.digest)', 'if (false as boolean)'],
  ['server/src/kernel/run.test.ts', '', 'kernel/idempotency.ts', 'if (!rows[0]?.mine) throw inFlight()', 'void rows'],
  ['server/src/kernel/run.test.ts', '', 'kernel/idempotency.ts', 'AND (created_at < ${ago(now, 24 * 60)}', 'AND (created_at < ${ago(now, 48 * 60)}'],
  ['server/src/kernel/run.test.ts', '', 'kernel/idempotency.ts', 'await release(world.db, bound)\n', ''],
  ['server/src/kernel/budget.test.ts', '', 'kernel/spend.ts', 'WHERE cardinality(${recent}) + ${takes}::integer <= ${most}::integer', 'WHERE cardinality(${recent}) < ${most}::integer'],
  ['server/src/kernel/budget.test.ts', '', 'kernel/spend.ts', 'const hourMs = 3_600_000', 'const hourMs = 600_000'],
  ['server/src/kernel/cursor.test.ts', '', 'kernel/cursor.ts', 'JSON.stringify([list, workspaceId, given', 'JSON.stringify([list, given'],
  ['server/src/kernel/cursor.test.ts', '', 'kernel/cursor.ts', 'JSON.stringify([list, workspaceId, given', 'JSON.stringify([workspaceId, given'],
  ['server/src/jobs/jobs.test.ts', '', 'kernel/cursor.ts', 'limit === undefined ? undefined : limit + 1', 'limit'],
  // whose data is read
  ['server/tenancy.test.ts', '', 'tokens/store.ts', 'SELECT ${columns} FROM tokens WHERE workspace_id = ${workspaceId} ORDER', 'SELECT ${columns} FROM tokens ORDER'],
  ['server/tenancy.test.ts', '', 'activity/store.ts', 'WHERE a.workspace_id = ${workspaceId} AND ${ofSite} AND ${before}', 'WHERE ${ofSite} AND ${before}'],
  ['server/test/foreign-ids.test.ts', '', 'jobs/store.ts', 'return sql`j.workspace_id = ${workspaceId} AND (${type}', 'return sql`j.workspace_id <> \'\' AND (${type}'],
  ['server/test/foreign-ids.test.ts', '', 'tokens/store.ts', 'SELECT ${columns} FROM tokens WHERE workspace_id = ${workspaceId} ORDER', 'SELECT ${columns} FROM tokens WHERE workspace_id <> \'\' ORDER'],
  ['server/test/foreign-ids.test.ts', '', 'schedules/store.ts', 'FROM schedules WHERE workspace_id = ${workspaceId}\n    AND ${of', 'FROM schedules WHERE workspace_id <> \'\'\n    AND ${of'],
  // jobs
  ['server/src/jobs/jobs.test.ts', '', 'jobs/store.ts', 'attempt = attempt + 1, fence = fence + 1,', 'attempt = attempt + 1,'],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/store.ts', "AND status IN ('queued', 'running')\n    RETURNING type", 'RETURNING type'],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/store.ts', "AND fence = ${fence} AND status = 'running'\n    RETURNING cancel_asked", "AND status = 'running'\n    RETURNING cancel_asked"],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/store.ts', "sql`status = 'running' AND fence = ${fence}`", "sql`status = 'running'`"],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/store.ts', "AND fence = ${job.fence} AND status = 'running' FOR SHARE", "AND status = 'running' FOR SHARE"],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/store.ts', 'failures = failures + ${error === null ? 0 : 1}', 'failures = failures + 0'],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/store.ts', 'ORDER BY j.id DESC', 'ORDER BY j.id'],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/service.ts', 'if (over(found) || performance.now() >= deadline', 'if (performance.now() >= deadline'],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/service.ts', 'if (over(job)) throw new Problem', 'if (false as boolean) throw new Problem'],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/worker.ts', 'else if (state.cancel) watch.abort', 'else if (false as boolean) watch.abort'],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/worker.ts', 'if (stops.stopping.aborted) return again(world, job, null, 0)', ''],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/worker.ts', 'failure.retryable && failures <', 'failures <'],
  ['server/src/jobs/jobs.test.ts', '', 'jobs/worker.ts', "message: 'Something broke on our side.'", 'message: String(error)'],
  // is a site as well as before its update
  ['server/src/updates/undo.test.ts', '', 'updates/judge.ts', 'bad >= sureAfter && !mayPass', 'bad >= 1'],
  ['server/src/updates/outage.test.ts', '', 'updates/judge.ts', 'bad >= sureAfter && !mayPass', 'bad >= sureAfter'],
  ['server/src/updates/undo.test.ts', '', 'updates/judge.ts', "=> by !== 'other'", "=> by !== 'nobody'"],
  ['server/src/updates/undo.test.ts', '', 'updates/judge.ts', "if (active && !probe.active) return { message: 'It is no longer active.' }", ''],
  ['server/src/updates/undo.test.ts', '', 'sites/sight.ts', 'if (before?.problem != null) return null\n', ''],
  ['server/src/sites/sight.test.ts', '', 'sites/sight.ts', "if (now.bytes < blankBelow && before.bytes >= blankBelow) return 'is blank'\n", ''],
  ['server/src/sites/sight.test.ts', '', 'sites/sight.ts', "if (meant === 'replaced') return null\n", ''],
  ['server/src/sites/client.test.ts', '', 'sites/client.ts', "'updates.status': 'usual first'", "'updates.status': 'usual'"],
  ['server/src/sites/client.test.ts', '', 'sites/client.ts', 'tries >= leastTries && ', ''],
  ['server/src/updates/undo.test.ts', '', 'updates/judge.ts', 'const hidden = !sight.live &&', 'const hidden = false && !sight.live &&'],
  // the guarded client
  ['server/src/platform/guarded-fetch.test.ts', '', 'platform/guarded-fetch.ts', "error.reason === 'connect' && another", 'another'],
  ['server/src/platform/guarded-fetch.test.ts', '', 'platform/guarded-fetch.ts', 'const MIN_BYTES_PER_WINDOW = 30 * 1024', 'const MIN_BYTES_PER_WINDOW = 0'],
  ['server/src/platform/guarded-fetch.test.ts', '', 'platform/guarded-fetch.ts', 'kept.active--', 'void kept'],
  ['server/src/platform/address.test.ts', '', 'platform/guarded-connect.ts', 'if (!sameAddress(peer, address) || !allowed(guard, peer)) {', 'if (false as boolean) {'],
  ['server/src/platform/address.test.ts', '', 'platform/guarded-connect.ts', 'if (!found.every((address) => allowed(guard, address))) {', 'if (!found.some((address) => allowed(guard, address))) {'],
  ['server/src/platform/address.test.ts', '', 'platform/guarded-connect.ts', 'if (url.username || url.password) throw', 'if (false as boolean) throw'],
  ['server/src/platform/address.test.ts', '', 'platform/guarded-connect.ts', 'if (!guard.allowPrivate && !PORTS.has(url.port))', 'if (false as boolean)'],
  ['server/src/platform/address.test.ts', '', 'platform/address.ts', "'169.254.0.0/16',", ''],
  ['server/src/platform/outbound-turns.test.ts', '', 'platform/guarded-fetch.ts', 'perAddress: 4, perParty: 128, together: 16', 'perAddress: 4, perParty: 128, together: 16000'],
  // memory
  ['server/src/tokens/tokens.test.ts', '', 'platform/signals.ts', 'fresh: 2000, lease: 4000', 'fresh: 20_000, lease: 4000'],
  ['server/src/tokens/tokens.test.ts', '', 'platform/signals.ts', 'freshUntil = 0\n    for', 'for'],
  ['server/src/platform/signals.test.ts', '', 'platform/signals.ts', 'AND acked < ${seq}::bigint', 'AND acked > ${seq}::bigint'],
  ['server/src/sites/fleet.test.ts', '', 'sites/fleet.ts', 'memory?.stale.add(id)\n  }', 'void id\n  }'],
  ['server/src/sites/fleet.test.ts', '', 'sites/fleet.ts', 'memory.lists.clear()', 'void 0'],
  ['server/src/tokens/tokens.test.ts', '', 'tokens/known.ts', 'if (expiresAt <= at.getTime()) return undefined', ''],
  // talking to a site
  ['server/src/connector/verify.test.ts', '', 'connector/verify.ts', "if (!withinWindow(Number(created), Number(expires), message.now, tag)) return refused('window')\n", ''],
  ['server/src/connector/verify.test.ts', '', 'connector/verify.ts', "if (Math.abs(Number(created) - message.now) > tolerance(message.requestTag)) return refused('window')\n", ''],
  ['server/src/connector/verify.test.ts', '', 'connector/verify.ts', "(value.method === 'hello') === (tag === HELLO_TAG)", 'true'],
  ['server/src/connector/verify.test.ts', '', 'connector/verify.ts', "['\"signature\";req;key=\"svc\"', asked.member]] as", "['\"signature\";req;key=\"svc\"', '']] as"],
]
