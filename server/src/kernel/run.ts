import { createHash } from 'node:crypto'
import { CachedAnswer } from './cached-answer.ts'
import type { AuditEntry, Call, Caller, Kernel, Outcome, Turn } from './context.ts'
import type { CursorAfter } from './cursor.ts'
import { examine } from './explain.ts'
import { once } from './idempotency.ts'
import { type AnyOperation, isRead, plans } from './operation.ts'
import { asProblem, Problem } from './problem.ts'
import { assumedOf } from './shapes.ts'
import { Overdrawn, spend } from './spend.ts'
import { unstorable } from './storable.ts'

/** The raw input, or a function that reads it; it is called only after the caller was let in. */
export type Raw = unknown | (() => unknown)

/** The only way in. Every face ends here, so this is the only place that decides who may do what. */
export async function run<W extends Kernel>(world: W, operation: AnyOperation, call: Call, raw: Raw): Promise<Outcome> {
  if (!call.caller) throw new Problem('unauthenticated', 'Send a token: Authorization: Bearer svc_…')
  const { workspaceId } = call.caller
  const giveBack = await world.turn(workspaceId, turnOf(operation), call.signal)
  const ours = { ...world, ...world.shareOf(workspaceId, isRead(operation) ? 'read' : 'write') }
  let sends = false
  try {
    const outcome = await runNow(ours, operation, { ...call, caller: call.caller }, raw)
    sends = operation.bytes === true && whenClosed(call.signal, giveBack)
    return outcome
  } finally {
    if (!sends) giveBack()
  }
}

const turnOf = ({ bytes, waits, lingers }: AnyOperation): Turn => (bytes ? 'download' : waits || lingers ? 'wait' : 'work')

/** A file is sent when the call is over, until its connection is closed. */
function whenClosed(signal: AbortSignal | undefined, then: () => void): boolean {
  if (!signal || signal.aborted) return false
  signal.addEventListener('abort', then, { once: true })
  return true
}

/** A call of somebody we know. */
interface Known extends Call {
  caller: Caller
}

async function runNow(world: Kernel, operation: AnyOperation, call: Known, raw: Raw): Promise<Outcome> {
  const entry = entryOf(operation, call)
  try {
    const hear = heardOnce(raw)
    admitTo(operation, call.caller, hear)
    const given = hear()
    const input = parse(operation, call, given)
    if (typeof input.site_id === 'string') entry.site_id = input.site_id
    return { ...(await perform(world, operation, call, { input, entry })), ...noticeOf(given, input) }
  } catch (error) {
    await world.audit({ ...entry, outcome: asProblem(error).code }, isRead(operation) ? undefined : world.db)
    if (error instanceof Overdrawn) await world.overdrawn(call.caller, error.budget)
    throw error
  }
}

/** Who may do this; throws `unauthenticated` or `insufficient_scope`. */
export function admit(operation: AnyOperation, caller: Caller | undefined): Caller {
  if (!caller) throw new Problem('unauthenticated', 'Send a token: Authorization: Bearer svc_…')
  if (!caller.scopes.has(operation.scope)) throw new Problem('insufficient_scope', whyRefused(operation, caller))
  if (caller.approvalOnly && !isRead(operation) && !operation.direct)
    throw new Problem(
      'insufficient_scope',
      `Nothing was done: this token may only change things after an approval, and this server cannot queue approvals yet. Ask an owner for a token that writes without approval.`,
    )
  return caller
}

/** The same; but what would be done may be asked by whoever may read, also where it may not be done. */
function admitTo(operation: AnyOperation, caller: Caller, hear: () => unknown): void {
  try {
    admit(operation, caller)
  } catch (refusal) {
    if (!plans(operation) || !caller.scopes.has('read') || !asksForPlan(hear)) throw refusal
  }
}

function asksForPlan(hear: () => unknown): boolean {
  try {
    return (hear() as { dry_run?: unknown } | null)?.dry_run === true
  } catch {
    return false
  }
}

function heardOnce(raw: Raw): () => unknown {
  let heard: { given: unknown } | undefined
  return () => {
    heard ??= { given: typeof raw === 'function' ? raw() : raw }
    return heard.given
  }
}

/** What a token may not do although its scope lets it call; asked inside the transaction of a write, so that nothing moves meanwhile. */
async function mustBeOwner({ ownersOnly }: AnyOperation, context: { caller: Caller }, input: Record<string, unknown>): Promise<void> {
  if (!ownersOnly || context.caller.scopes.has('manage')) return
  const what = await ownersOnly(context, input)
  if (what !== undefined) throw new Problem('insufficient_scope', `This was not done: ${what} ${forOwners}`)
}

const forOwners = 'Only an owner may do that, today with npm run admin on the machine of the service; no token can.'

function whyRefused(operation: AnyOperation, caller: Caller): string {
  const { scope } = operation
  if (scope === 'manage') return `This was not done. ${forOwners}`
  const has = [...caller.scopes].join(', ') || 'none'
  const plan = plans(operation) && caller.scopes.has('read') ? ' With dry_run true it answers what it would do.' : ''
  return `This needs the ${scope} scope; this ${caller.type} has only ${has}. Use a token with the ${scope} scope.${plan}`
}

/** The input as its schema has it; throws with all that is wrong at once. */
function parse(operation: AnyOperation, { idempotencyKey }: Call, raw: unknown): Record<string, unknown> {
  const found = examine(operation.input, raw)
  const errors = 'data' in found ? unstorable(found.data) : found.errors
  if (idempotencyKey !== undefined && !isKey(idempotencyKey))
    errors.push({ path: 'idempotency_key', message: 'Must be 1 to 200 visible ASCII characters.' })
  if ('data' in found && errors.length === 0) return found.data
  throw new Problem('invalid_payload', 'Some fields are not valid.', { errors })
}

/** What of the input was not said, and was taken for granted. */
function noticeOf(given: unknown, input: Record<string, unknown>): { notice?: string } {
  const told = Object.entries(input).flatMap(([name, read]) => assumedOf(name, (given as typeof input)[name], read) ?? [])
  return told.length > 0 ? { notice: told.join(' ') } : {}
}

const isKey = (key: unknown) => typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)

async function perform(
  world: Kernel,
  operation: AnyOperation,
  call: Known,
  { input, entry }: { input: Record<string, unknown>; entry: AuditEntry },
): Promise<Outcome> {
  const { caller, face, requestId, signal } = call
  const touched = new Set<string>()
  const handle = async (db: Kernel['db']) => {
    const context = { ...world, touched, db, caller, workspaceId: caller.workspaceId, face, requestId, signal }
    await mustBeOwner(operation, context, input)
    await spend(context, operation, input)
    const answer: unknown = await operation.handle(context, input)
    // It may have been called by its name.
    entry.site_id = touched.values().next().value ?? entry.site_id
    return answer
  }
  if (isRead(operation)) {
    const answer = await handle(world.db)
    const outcome = { output: strip(operation, answer), replayed: false, cursorAfter: cursorAfterOf(answer) }
    await world.audit(entry)
    return outcome
  }
  const key = call.idempotencyKey === undefined ? undefined : { name: String(call.idempotencyKey), digest: digestOf(input) }
  const outcome = await once(world, { operation, caller, key, waits: waits(operation, input) }, async (db) => {
    const output = strip(operation, await handle(db))
    await world.audit(entry, db)
    return output
  })
  world.changed(caller.workspaceId, touched.size > 0 ? touched : undefined)
  return outcome
}

/** What the output schema does not name does not leave the house. Cached answers were parsed before; these, and bytes, pass. */
function strip(operation: AnyOperation, output: unknown): unknown {
  return operation.bytes || output instanceof CachedAnswer ? output : operation.output.parse(output)
}

const cursorAfterOf = (answer: unknown) => (answer as { cursorAfter?: CursorAfter } | null)?.cursorAfter

function digestOf(input: Record<string, unknown>): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(input)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

const waits = ({ waits }: AnyOperation, input: Record<string, unknown>) => (typeof waits === 'function' ? waits(input) : waits === true)

function entryOf(operation: AnyOperation, { caller, face, requestId }: Known): AuditEntry {
  return {
    workspace_id: caller.workspaceId,
    caller_type: caller.type,
    caller_id: caller.id,
    operation: operation.name,
    face,
    outcome: 'ok',
    request_id: requestId,
    site_id: null,
  }
}
