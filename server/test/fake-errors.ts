// The verb of connector/PROTOCOL.md §4 that hands over PHP errors, carried out on a FakeState.
import { randomBytes } from 'node:crypto'
import type { FakeAnswer, FakeCall } from './fake-data.ts'
import type { FakeError, FakeState } from './fake-state.ts'

export const ERROR_VERBS: Record<string, (state: FakeState, call: FakeCall) => FakeAnswer> = { 'errors.collect': collect }

/** The log of a fake site counts entries, not bytes. */
function collect(state: FakeState, { params, now }: FakeCall): FakeAnswer {
  const drop = new Set(params.drop as string[])
  state.phpErrors = state.phpErrors.filter(({ id, count }) => !drop.has(`${id}:${count}`))
  const log = state.phpLog
  const read = params.log as { offset: number } | null
  return {
    result: {
      time: now,
      capturing: true,
      full: false,
      whole: true,
      errors: state.phpErrors,
      log: log ? { inode: 7, offset: log.length, skipped: 0 } : null,
      logged: log?.slice(read?.offset ?? 0) ?? [],
      ...state.errorsSay,
    },
  }
}

/** A site, with its own time in Unix seconds. */
interface Met {
  connector: { state: FakeState; now: () => number }
}

/** A visitor met an error so long ago; again one that is known is one more of it. */
export function meet({ connector: { state, now } }: Met, over: Partial<FakeError> = {}, agoMs = 0): FakeError {
  const at = now() - Math.round(agoMs / 1000)
  const met = { ...sample(), first: at, last: at, ...over }
  const known = state.phpErrors.find((each) => each.message === met.message && each.file === met.file && each.line === met.line)
  if (known) return Object.assign(known, { count: known.count + met.count, last: at })
  state.phpErrors.push(met)
  return met
}

function sample(): FakeError {
  return {
    id: `${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}`,
    count: 1,
    first: 0,
    last: 0,
    level: 'fatal',
    message: 'Uncaught Error: Call to undefined function sow()',
    file: 'wp-content/plugins/garden/garden.php',
    line: 12,
    component: { type: 'plugin', slug: 'garden' },
    frames: ['wp-includes/class-wp-hook.php:324'],
    path: '/shop/',
    php: '8.2.30',
  }
}
