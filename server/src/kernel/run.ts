import type { AuditEntry, Call, Caller, Kernel, Known, Outcome, Turn } from './context.ts'
import { digestOf } from './digest.ts'
import { examine } from './explain.ts'
import { forOwners, forOwnersNext, handle, strip } from './handle.ts'
import { once } from './idempotency.ts'
import { type AnyOperation, isDirect, isRead, plans } from './operation.ts'
import { asProblem, type FieldError, Problem } from './problem.ts'
import { assumedOf } from './shapes.ts'
import { Overdrawn } from './spend.ts'
import { unstorable } from './storable.ts'

/** The raw input, or a function that reads it; it is called only after the caller was let in. */
export type Raw = unknown | (() => unknown)

/** The only way in. Every face ends here, so this is the only place that decides who may do what. */
export async function run<W extends Kernel>(world: W, operation: AnyOperation, call: Call, raw: Raw): Promise<Outcome> {
  if (!call.caller) throw new Problem('unauthenticated', 'No token was sent.')
  const { workspaceId } = call.caller
  const turn = world.turn(workspaceId, turnOf(operation), call.signal)
  const giveBack = turn instanceof Promise ? await turn : turn
  const ours = { ...world, ...world.shareOf(workspaceId, isRead(operation) ? 'read' : 'write'), ...world.seenBy(call.caller) }
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

async function runNow(world: Kernel, operation: AnyOperation, call: Known, raw: Raw): Promise<Outcome> {
  const entry = entryOf(operation, call)
  try {
    if (call.caller.paused) throw new Problem('insufficient_scope', paused, { next: 'Wait, and tell whoever you work for that you do.' })
    const hear = heardOnce(raw)
    admitTo(operation, call.caller, hear)
    const given = hear()
    const input = parse(operation, call, given)
    mustNameSite(operation, call.caller, input)
    if (typeof input.site_id === 'string') entry.site_id = input.site_id
    const asked = mustAsk(operation, call.caller, input) && (await askFor(world, operation, call, { given, entry }))
    const outcome = asked || (await perform(world, operation, call, { input, entry }))
    const notice = noticeOf(given, input)
    return notice === undefined ? outcome : { ...outcome, notice }
  } catch (error) {
    await world.audit({ ...entry, outcome: asProblem(error).code }, isRead(operation) ? undefined : world.db)
    if (error instanceof Overdrawn) await world.overdrawn(call.caller, error.budget)
    throw error
  }
}

const paused =
  'Nothing was done: an owner or admin has paused all agents of this workspace. Asking again does not help; wait until that person lets you go on.'

const personal = 'This was not done: it is each person’s own, for whoever is signed in to the dashboard; a token has none.'

/** Who may do this; throws `unauthenticated` or `insufficient_scope`. */
export function admit(operation: AnyOperation, caller: Caller | undefined): Caller {
  if (!caller) throw new Problem('unauthenticated', 'No token was sent.')
  if (!caller.scopes.has(operation.scope)) throw new Problem('insufficient_scope', whyRefused(operation, caller), nextOf(operation, caller))
  if (operation.personal && caller.type !== 'user')
    throw new Problem('insufficient_scope', personal, { next: 'Leave it to whoever is signed in to the dashboard.' })
  return caller
}

/** What is not about one site could be about any, and such a caller does not see all. */
function mustNameSite({ seesOwn }: AnyOperation, { sees, type }: Caller, input: Record<string, unknown>): void {
  if (sees && !seesOwn && typeof input.site_id !== 'string')
    throw new Problem(
      'insufficient_scope',
      `This was not done: ${type === 'user' ? 'you see' : 'this token sees'} only some sites. Name one of them with site_id; list_sites (GET /sites) shows them.`,
      { next: 'Name a site that list_sites (GET /sites) shows.' },
    )
}

/** Whether it waits for a person. A plan changes nothing. */
function mustAsk(operation: AnyOperation, caller: Caller, input: Record<string, unknown>): boolean {
  return caller.approvalOnly && !isRead(operation) && !isDirect(operation, input) && !(plans(operation) && input.dry_run === true)
}

/** Undefined where a person has let it be done. */
async function askFor(
  world: Kernel,
  operation: AnyOperation,
  call: Known,
  { given, entry }: { given: unknown; entry: AuditEntry },
): Promise<Outcome | undefined> {
  const record = (db: Kernel['db']) => world.audit({ ...entry, outcome: 'awaiting_approval' }, db)
  return world.ask({ operation, call, given: (given ?? {}) as Record<string, unknown>, record })
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

/** No token and no other role does what only an owner may, so asking for one leads nowhere. */
const nextOf = ({ scope }: AnyOperation, { type }: Caller) => (scope === 'manage' && type !== 'user' ? { next: forOwnersNext } : {})

function whyRefused(operation: AnyOperation, caller: Caller): string {
  const { scope } = operation
  if (scope === 'manage') return `This was not done. ${forOwners}`
  const has = [...caller.scopes].join(', ') || 'none'
  const plan = plans(operation) && caller.scopes.has('read') ? ' With dry_run true it answers what it would do.' : ''
  if (caller.type === 'user') return `This was not done: your role may only ${has}. Ask an owner for another one.${plan}`
  return `This needs the ${scope} scope; this ${caller.type} has only ${has}. Use a token with the ${scope} scope.${plan}`
}

/** The input as its schema has it; throws with all that is wrong at once. */
function parse(operation: AnyOperation, call: Call, raw: unknown): Record<string, unknown> {
  const found = examine(operation.input, raw)
  const errors = 'data' in found ? unstorable(found.data) : found.errors
  errors.push(...wrongBeside(call))
  if ('data' in found && errors.length === 0) return found.data
  throw new Problem('invalid_payload', 'Some fields are not valid.', { errors })
}

/** What came beside the input, on whatever way. */
function wrongBeside({ idempotencyKey, reason }: Call): FieldError[] {
  return [
    ...(idempotencyKey === undefined || isKey(idempotencyKey)
      ? []
      : [{ path: 'idempotency_key', message: 'Must be 1 to 200 visible ASCII characters.' }]),
    ...(reason === undefined || isReason(reason) ? [] : [{ path: 'why', message: 'Must be one line of 1 to 500 characters.' }]),
  ]
}

/** What of the input was not said, and was taken for granted. */
function noticeOf(given: unknown, input: Record<string, unknown>): string | undefined {
  const notices: string[] = []
  for (const name in input) {
    const assumed = assumedOf(name, (given as typeof input)[name], input[name])
    if (assumed !== undefined) notices.push(assumed)
  }
  return notices.length > 0 ? notices.join(' ') : undefined
}

const isKey = (key: unknown) => typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)
const isReason = (text: unknown) => typeof text === 'string' && text.trim() !== '' && /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]{1,500}$/u.test(text)

async function perform(
  world: Kernel,
  operation: AnyOperation,
  call: Known,
  { input, entry }: { input: Record<string, unknown>; entry: AuditEntry },
): Promise<Outcome> {
  const { caller } = call
  // It may have been called by its name.
  const note = (touched: ReadonlySet<string>) => {
    entry.site_id = touched.values().next().value ?? entry.site_id
  }
  if (isRead(operation)) {
    const { answer, touched } = await handle(world, operation, call, input)
    note(touched)
    const { cursorAfter, brief } = (answer ?? {}) as Pick<Outcome, 'cursorAfter' | 'brief'>
    const outcome = { output: strip(operation, answer, call.shows), replayed: false, cursorAfter, brief }
    await world.audit(entry)
    return outcome
  }
  let touched: ReadonlySet<string> = new Set()
  const outcome = await once(world, { operation, caller, key: keyOf(call, input), waits: waits(operation, input) }, async (db) => {
    const done = await handle({ ...world, db }, operation, call, input)
    touched = done.touched
    note(touched)
    const output = strip(operation, done.answer)
    await world.audit(entry, db)
    return output
  })
  world.changed(caller.workspaceId, touched.size > 0 ? touched : undefined)
  return outcome
}

const keyOf = ({ idempotencyKey }: Call, input: Record<string, unknown>) =>
  idempotencyKey === undefined ? undefined : { name: String(idempotencyKey), digest: digestOf(input) }

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
