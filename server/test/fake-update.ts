// The verbs of an update (connector/PROTOCOL.md §7) on a FakeState: copied, armed, applied, kept or taken back.
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FakeAnswer, type FakeCall, failure } from './fake-data.ts'
import type { FakeItem } from './fake-items.ts'
import type { FakeDefect, FakeState, FakeUpdate } from './fake-state.ts'
import { widePage } from './fake-wide.ts'

type Verb = (state: FakeState, call: FakeCall) => FakeAnswer | Promise<FakeAnswer>

const DEAD_MAN = 300
const OPEN = ['armed', 'swapping', 'swapped', 'rolling_back']

export const UPDATE_WRITES = ['guard', 'apply', 'rollback', 'release'].map((verb) => `updates.${verb}`)

export const isGuarded = ({ update }: FakeState): boolean => update !== undefined && OPEN.includes(update.phase)

/** The header by which an answer is known to come from the site itself, for a look of the service: its mark works once. */
export function echoOf(state: FakeState, url: string): { header: Record<string, string>; trial: boolean } {
  const { pathname, searchParams } = new URL(url, 'http://site')
  for (const word of ['probe', 'trial']) {
    const asked = searchParams.get(`svc-connector-${word}`) ?? ''
    const [nonce, mark] = [asked.slice(0, 32), asked.slice(32)]
    const { update } = state
    if (!update || !isGuarded(state) || mark !== sealed(update, `${word} ${nonce}`) || update.marks.has(nonce)) continue
    if (word === 'trial' && !(state.trials && update.phase === 'armed')) continue
    update.marks.add(nonce)
    if (word === 'trial' && state.lacking?.(searchParams.get('svc-connector') ?? '', pathname)) state.without.push(nonce)
    return { header: { 'svc-connector-probe': sealed(update, `${word} ${asked}`) }, trial: word === 'trial' }
  }
  return { header: {}, trial: false }
}

/** The state as a trial shows it: with the new version in the place of the old one. */
export function tried(state: FakeState): FakeState {
  const { update } = state
  const items = state.items.map((item) =>
    item.update && item.type === update?.type && item.file === update.file ? { ...item, version: item.update.version } : item,
  )
  return { ...state, items, trial: true }
}

const sealed = ({ echo }: FakeUpdate, text: string) => createHmac('sha256', echo).update(text).digest('hex')

/** What is wrong with the versions that are installed now. */
export function defectOf({ items, defects }: FakeState): FakeDefect | undefined {
  return items.map(({ file, version }) => defects[`${file}@${version}`]).find((defect) => defect !== undefined)
}

/** A site that hears nothing for five minutes takes an update back. */
export function lapseUpdate(state: FakeState, now: number): void {
  if (state.update && isGuarded(state) && now >= state.update.deadline && !state.update.busy) takeBack(state, state.update)
}

/** Runs only where WordPress starts whole. */
const whole =
  (act: Verb): Verb =>
  (state, call) =>
    defectOf(state) === 'dead' ? failure('failed', 'WordPress does not start: Uncaught Error') : act(state, call)

/** Of the job whose update is at work, and not of an attempt that was taken over. */
const mine =
  (phases: string[], act: (state: FakeState, update: FakeUpdate, call: FakeCall) => FakeAnswer | Promise<FakeAnswer>): Verb =>
  (state, call) => {
    const { update } = state
    if (!update || update.job !== call.params.job) return failure('failed', 'There is no update at work on this site.')
    if (Number(call.params.fence) < update.fence) return failure('fence', 'This job was taken over by another worker.')
    update.fence = Number(call.params.fence)
    if (phases.length > 0 && !phases.includes(update.phase)) return failure('failed', `The update is ${update.phase}.`)
    return act(state, update, call)
  }

export const UPDATE_VERBS: Record<string, Verb> = {
  'updates.guard': whole(guard),
  'updates.apply': whole(mine(['armed'], apply)),
  'updates.probe': whole((state) => {
    const item = state.update && itemOf(state, state.update)
    return {
      result: {
        ...told(state),
        version: item?.version ?? '',
        active: item?.active ?? false,
        clone: defectOf(state) === 'moved',
        events: defectOf(state) === 'no_events' ? 0 : 3,
        fatals: state.fatals,
        trial: state.trial === true,
        held: state.held,
        ...(state.lacking && { without: state.without }),
        lost: defectOf(state) === 'switches_off' ? ['b/b.php'] : [],
        lost_events: defectOf(state) === 'loses_events' ? ['rotate_roses', 'water_tulips'] : [],
        changed: state.changed,
      },
    }
  }),
  'updates.page': whole((state, { params }) => {
    const path = String(params.path)
    const isAdmin = path.includes('/wp-admin/')
    const defect = defectOf(state)
    // WordPress makes the page for a signed look as for a visitor; what that costs counts.
    state.page?.('GET', path, '', false)
    if ((defect === 'front_500' && path === '/') || (defect === 'admin_500' && isAdmin) || state.broken())
      return failure('failed', 'Uncaught Error')
    const shown =
      path === '/' && (defect === 'blank' || defect === 'half')
        ? PARTS[defect]
        : (widePage(state.name, defect, 'GET', path)?.body ?? page(state.name))
    const lets_in = path.includes('/wp-admin/index.php') ? { lets_in: defect !== 'nobody_in' } : {}
    const rest = path.includes('/wp-admin/plugins.php') ? { rest: defect === 'rest_editors_500' ? 500 : 200 } : {}
    return { result: { status: 200, text: shown, location: '', trial: state.trial === true, ...lets_in, ...rest } }
  }),
  'updates.status': (state) => ({ result: { ...told(state), changed: state.update?.phase === 'armed' ? state.changed : [] } }),
  'updates.rollback': mine([], (state, update) => {
    takeBack(state, update)
    return { result: { done: true, unmended: state.unmended } }
  }),
  'updates.release': (state, call) => {
    if (state.update?.job !== call.params.job) return { result: { done: true, kept: true } }
    return mine(['staging', 'armed', 'swapped', 'committed', 'rolled_back'], (_, { phase }) => {
      if (call.params.keep && phase === 'rolled_back') return { result: { done: false, kept: false } }
      state.update = undefined
      return { result: { done: true, kept: true } }
    })(state, call)
  },
}

const page = (name: string) => `<!doctype html><html><title>${name}</title><body>${name}</body></html>`
const PARTS = { blank: '', half: '<!doctype html><html><title>' }

const itemOf = (state: FakeState, { type, file }: Pick<FakeUpdate, 'type' | 'file'>): FakeItem | undefined =>
  state.items.find((item) => item.type === type && item.file === file)

function told({ update }: FakeState) {
  const { phase = 'none', job = '', id = '', type = '', file = '', busy = false, hung = false, shut = false } = update ?? {}
  return { phase, job, id, type, file, busy, hung, shut }
}

function guard(state: FakeState, { params, siteUrl, now }: FakeCall): FakeAnswer {
  const [job, fence, type, file] = [String(params.job), Number(params.fence), String(params.type), String(params.file)]
  const known = state.update?.job === job && state.update.file === file && ['staging', 'armed'].includes(state.update.phase)
  if (state.update?.job === job && fence < state.update.fence) return failure('fence', 'This job was taken over by another worker.')
  const item = itemOf(state, { type, file })
  const answer = {
    version: item?.version ?? '',
    active: item?.active ?? false,
    pages: [{ page: 'post', url: `${siteUrl}/hello/` }],
    alone: '',
    post: 1,
    events: 3,
    noted: state.noted,
  }
  if (state.update?.busy) return failure('busy', 'Another request is at work on this.')
  if (!known) {
    if (isGuarded(state)) return failure('busy', 'Another update is at work on this site.')
    const why = reasonAgainst(state, item, params)
    if (why !== '')
      return { result: { ...answer, verdict: why === 'already_current' ? why : 'not_possible', reason: why, pages: [], echo: '' } }
    const copy = item && structuredClone(item)
    const { translations } = state
    state.update = {
      ...{ id: randomBytes(8).toString('hex'), job, fence, type, file, phase: 'staging', echo: randomBytes(16).toString('hex') },
      ...{ deadline: now + DEAD_MAN, busy: false, copy, translations, marks: new Set<string>() },
    }
  }
  if (state.copyFails !== '') return failure('failed', state.copyFails)
  const update = state.update as FakeUpdate
  if (state.copySlices-- > 0) return { result: { ...answer, verdict: 'copying', reason: '', pages: [], echo: '' } }
  Object.assign(update, { phase: 'armed', fence, deadline: now + DEAD_MAN })
  const trial = state.trials && item?.active === true && ['plugin', 'theme'].includes(type)
  return { result: { ...answer, verdict: 'ready', reason: '', echo: update.echo, trial, untried: trial ? '' : 'nothing_shows_it' } }
}

function reasonAgainst(state: FakeState, item: FakeItem | undefined, params: Record<string, unknown>): string {
  if (state.guardSays !== '') return state.guardSays
  if (params.type === 'translations') return state.translations === 0 ? 'already_current' : ''
  if (!item) return 'not_installed'
  if (!item.update) return 'already_current'
  return params.expect_version !== undefined && params.expect_version !== item.update.version ? 'not_offered' : ''
}

async function apply(state: FakeState, update: FakeUpdate, { requestId, params, now }: FakeCall): Promise<FakeAnswer> {
  Object.assign(update, { phase: 'swapping', busy: true, deadline: now + DEAD_MAN })
  if (state.updateMs > 0) await sleep(state.updateMs)
  await state.updateUntil
  const item = itemOf(state, update)
  const [from, next] = [item?.version ?? '', item?.update?.version ?? '']
  state.effects.push({ verb: 'updates.apply', requestId, params })
  if (item) {
    const defect = state.defects[`${item.file}@${next}`]
    Object.assign(item, { version: next, update: null, active: defect === 'deactivates' ? false : item.active })
    if (item.type === 'core') state.wpVersion = next
    if (defect === 'renamed') state.items = state.items.filter((each) => each !== item)
  } else state.translations = 0
  Object.assign(update, { phase: 'swapped', busy: false })
  if (state.updateFails !== undefined) {
    const { reason, installed } = state.updateFails
    if (item && !installed) Object.assign(item, update.copy)
    return { result: { status: 'failed', phase: 'swapped', from_version: from, to_version: item?.version ?? '', reason, messages: [] } }
  }
  const to = state.updatesTo ?? next
  return {
    result: {
      status: 'updated',
      phase: 'swapped',
      from_version: from,
      to_version: to,
      messages: ['Updated.'],
      held: state.held,
      wrote: state.wrote,
    },
  }
}

/** What a visitor after the deadline makes the site do. */
export function takeBack(state: FakeState, update: FakeUpdate): void {
  if (update.copy) {
    const { copy } = update
    state.items = [...state.items.filter(({ type, file }) => type !== copy.type || file !== copy.file), structuredClone(copy)]
    if (copy.type === 'core') state.wpVersion = copy.version
  }
  state.translations = update.translations
  update.phase = 'rolled_back'
}
