// A site is asked for all who want to know the same within a minute, on whatever node they ask.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Code, Problem } from '../kernel/problem.ts'
import type { SiteSaid } from '../kernel/site-said.ts'
import type { Context } from '../world.ts'

/** What a look brings where it is kept nowhere else. */
type Kept = object | null
interface Failed {
  code: Code
  message: string
  retryable: boolean
  site_said: SiteSaid | null
}
interface Row {
  begun_at: Date
  ended_at: Date | null
  answer: Kept
  error: Failed | null
}

const askAgainMs = 100
/** Longer than any look takes. */
const patienceMs = 45_000

/** Looks, unless a token asks and somebody did so less than a minute ago: then what that look brought, or why it failed, is the answer. */
export async function liveLook<Answer extends Kept>(
  context: Context,
  siteId: string,
  kind: string,
  look: () => Promise<Answer>,
): Promise<Answer> {
  const seconds = context.config.liveLookSeconds
  if (seconds === 0 || context.caller.scopes.has('manage')) return look()
  const at = sql`(workspace_id, site_id, kind) = (${context.workspaceId}, ${siteId}, ${kind})`
  const begun = context.now()
  if (!(await claim(context, siteId, kind, begun))) return (await shared(context, at, seconds)) as Answer
  const end = (what: { answer?: Kept; error?: Failed }) =>
    sql`UPDATE live_looks SET ended_at = ${context.now()}, answer = ${json(what.answer)}::jsonb, error = ${json(what.error)}::jsonb
      WHERE ${at} AND begun_at = ${begun}`.execute(context.db)
  try {
    const answer = await look()
    await end({ answer })
    return answer
  } catch (error) {
    if (error instanceof Problem) {
      const { code, message, retryable, siteSaid } = error
      await end({ error: { code, message, retryable, site_said: siteSaid } })
    } else await sql`DELETE FROM live_looks WHERE ${at} AND begun_at = ${begun}`.execute(context.db)
    throw error
  }
}

const json = (value: object | null | undefined) => (value === null || value === undefined ? null : JSON.stringify(value))

/** True for the one who is to look. */
async function claim({ db, workspaceId, config }: Context, siteId: string, kind: string, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - config.liveLookSeconds * 1000)
  const { numAffectedRows } = await sql`INSERT INTO live_looks AS l (workspace_id, site_id, kind, begun_at)
    SELECT workspace_id, id, ${kind}, ${now} FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId}
    ON CONFLICT (workspace_id, site_id, kind) DO UPDATE SET begun_at = excluded.begun_at, ended_at = NULL, answer = NULL, error = NULL
    WHERE l.begun_at <= ${since}`.execute(db)
  return numAffectedRows === 1n
}

/** What the look under way, or the last one, brought. */
async function shared({ db, now, signal, stopping }: Context, at: ReturnType<typeof sql>, seconds: number): Promise<Kept> {
  for (const deadline = performance.now() + patienceMs; ; ) {
    const { rows } = await sql<Row>`SELECT begun_at, ended_at, answer, error FROM live_looks WHERE ${at}`.execute(db)
    const [row] = rows
    if (row?.ended_at) return row.error ? refuse(row.begun_at, row.error, now(), seconds) : row.answer
    if (!row || performance.now() > deadline || signal?.aborted || stopping.aborted)
      throw new Problem('unavailable', 'Somebody else asks this site just now, and there is no answer yet.', { retryAfter: 2 })
    await sleep(askAgainMs)
  }
}

function refuse(begun: Date, { code, message, retryable, site_said }: Failed, now: Date, seconds: number): never {
  const ago = Math.max(0, Math.round((now.getTime() - begun.getTime()) / 1000))
  const words = `${message} That was ${ago} s ago; for tokens a site is asked once in ${seconds} s.`
  throw new Problem(code, words, { retryable, siteSaid: site_said, retryAfter: Math.max(1, seconds - ago) })
}
