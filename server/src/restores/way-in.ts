// How a restore comes into a site: through WordPress, or beside it where it does not start.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AskOptions, Deps, SiteConnection } from '../connector/ask.ts'
import { call } from '../connector/call.ts'
import type { Hello } from '../connector/commands.ts'
import { ALL_DOORS } from '../connector/doors.ts'
import { SiteError, type SiteReason } from '../connector/site-error.ts'
import { Problem } from '../kernel/problem.ts'
import { SiteClient } from '../sites/client.ts'
import { type Target, talk } from '../sites/talk.ts'
import type { Here } from '../world.ts'

/** `starts`: WordPress itself has answered. */
export type WayIn = { hello: Hello; starts: boolean }

/** One site during a restore: whatever becomes of WordPress, it is asked on. */
export class RestoreSite extends SiteClient {
  constructor(wire: Deps, connection: SiteConnection, signal: AbortSignal) {
    super(wire, connection, signal, ALL_DOORS)
  }
}

// WordPress may only be starting anew: a restart of PHP or of the database takes seconds.
const rounds = 3
const pauseMs = 3_000

/** Nobody is there, or who is there is not this site. */
const ELSEWHERE: ReadonlySet<SiteReason> = new Set(['dns', 'tls', 'blocked_address', 'connect', 'clone'])

/** That of an undo, at its start and when the site is looked at. */
export const nothingToUndo = () =>
  new Problem(
    'conflict',
    'There is no restore of the last 24 hours on this site that could be undone. Restore the safety backup that was made before it.',
    { retryable: false, next: 'list_backups (GET /sites/{site_id}/backups) shows it, with the trigger pre_restore.' },
  )

/** Tries every door within seconds, and lets the site be asked at the one that opens; throws what WordPress said, and what to do, when none opens. */
export async function enter(here: Here, target: Target, site: SiteClient): Promise<WayIn> {
  for (let round = 1; ; round++) {
    site.signal.throwIfAborted()
    try {
      const answer = await talk(here, target, hello, ({ result }) => ({ hello: result }))
      site.use(answer)
      return { hello: answer.result, starts: true }
    } catch (error) {
      const beside = mayBeBeside(error) ? await besideWordPress(site) : undefined
      if (beside) return beside
      if (!mayBeBeside(error) || error.code === 'site_timeout') throw error
      if (round === rounds) throw shut(error, site.connection)
      await sleep(pauseMs, undefined, { signal: site.signal })
    }
  }
}

const mayBeBeside = (error: unknown): error is Problem =>
  error instanceof Problem &&
  error.cause instanceof SiteError &&
  !ELSEWHERE.has(error.cause.reason) &&
  !error.cause.reason.startsWith('error:')

const hello = (deps: Deps, connection: SiteConnection, options: AskOptions) =>
  call(deps, connection, { verb: 'hello', params: {} }, options)

async function besideWordPress(site: SiteClient): Promise<WayIn | undefined> {
  try {
    return { hello: await site.search(['standing']), starts: false }
  } catch (error) {
    if (error instanceof SiteError) return undefined
    throw error
  }
}

const shut = ({ code, message, siteSaid }: Problem, { standing }: SiteConnection) =>
  new Problem(code, `${message} ${standing ? CLOSED : NO_DOOR} Then try again; the site stays paired.`, { retryable: false, siteSaid })

const CLOSED =
  'The door of the connector that needs no WordPress does not answer either. Put the folder svc-connector back among the plugins, from the zip of this service, and see that wp-config.php is whole; where PHP has no extension sodium, wp-includes/sodium_compat has to be there too.'
const NO_DOOR =
  'When it was heard last, this site had no door of the connector that needs no WordPress: that takes MySQL or MariaDB, and a wp-config.php with salts of its own and a plain line that loads wp-settings.php. Have WordPress start first, with files and database from a download of the backup.'

/** What stood in visitors' way before, and is told because nobody else may have seen it. */
export function warningsOf({ hello, starts }: WayIn): string[] {
  if (hello.maintenance_mode)
    return ['A notice of maintenance (.maintenance) stood on the site. A restore of all files takes it away; otherwise it is there again.']
  return starts ? [] : ['WordPress did not start before the restore; the site was put back beside it.']
}
