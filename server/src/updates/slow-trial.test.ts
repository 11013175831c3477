// A version that takes its time in its trial: what is done once is done there anew, and is no harm.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { SiteError } from '../connector/site-error.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedResponse } from '../platform/guarded-fetch.ts'
import type { SiteClient } from '../sites/client.ts'
import type { Here } from '../world.ts'
import { lookOnce } from './judge.ts'
import { type Standard, watchedOf } from './look.ts'
import { tryOut } from './trial.ts'

const here = { now: () => new Date() } as Here
const { signal } = new AbortController()
const at = 'http://garden.example'
const echo = 'f'.repeat(32)
const standard: Standard = {
  ...{ watched: watchedOf({ home: at, url: at }, []), echo, before: null, post: 0, events: 0, version: null, active: false },
}
interface InTrial {
  probe?: number
  page?: number
  unseen?: true
}
/** A site that answers what it is asked after so many seconds, in a trial; otherwise at once. `unseen`: what answers there is a cache. */
function aSite(seconds: InTrial) {
  const asked: string[] = []
  const pages: GuardedFetch = async ({ url, timeoutMs = 0 }) => {
    const query = new URL(url).searchParams
    const word = query.has('svc-connector-trial') ? 'trial' : 'probe'
    const needs = word === 'trial' && query.size === 1 ? (seconds.page ?? 0) * 1000 : 0
    if (needs > timeoutMs) throw new FetchError('timeout', 'The server did not answer in time.')
    const mark = query.get(`svc-connector-${word}`) ?? ''
    const headers = seconds.unseen && word === 'trial' ? {} : { 'svc-connector-probe': answerTo(word, mark) }
    return { status: 200, headers, body: Buffer.from('<html><body>Roses</body></html>') } as unknown as GuardedResponse
  }
  const once = async (verb: string, _: object, { timeoutMs = 0, query }: { timeoutMs?: number; query?: Record<string, string> }) => {
    const trial = query !== undefined
    asked.push(`${trial ? 'trial' : 'live'} ${verb}`)
    if (trial && verb === 'updates.probe' && (seconds.probe ?? 0) * 1000 > timeoutMs)
      throw new SiteError('timeout', 'The server did not answer in time.')
    if (verb === 'updates.page' && trial && seconds.unseen) throw new SiteError('error:bad_request', 'This door shows no pages.')
    if (verb === 'updates.page') return { status: 200, text: '<html></html>', location: '', trial }
    return { phase: 'armed', version: '2.0', active: true, clone: false, events: 0, fatals: [], trial, held: [], changed: [] }
  }
  return { site: { connection: { home: at, url: at }, pages, once } as unknown as SiteClient, asked }
}
const answerTo = (word: string, mark: string) => createHmac('sha256', echo).update(`${word} ${mark}`).digest('hex')
const tried = async (seconds: InTrial) => {
  const { site, asked } = aSite(seconds)
  const { sights } = await lookOnce(here, site, standard, { answer: null, wide: true })
  asked.length = 0
  const result = await tryOut(here, site, { ...standard, before: sights }, signal)
  return { result: typeof result === 'string' ? result : result.problem, asked: asked.filter((each) => each.endsWith('probe')) }
}

test('it passes when it answers at once', async () => {
  assert.deepEqual(await tried({}), { result: 'passed', asked: ['trial updates.probe'] })
})
test('what its first request does for twelve seconds is done in each trial anew, and says nothing', async () => {
  const { result, asked } = await tried({ probe: 12 })
  assert.deepEqual([result, asked], ['unknown', ['trial updates.probe', 'live updates.probe', 'trial updates.probe']])
})
test('nor does a page that takes twelve', async () => {
  assert.equal((await tried({ page: 12 })).result, 'unknown')
})
test('without any answer it is harmful, once the version that is installed has answered again', async () => {
  const { result, asked } = await tried({ probe: 60 })
  assert.match(String(result), /^WordPress does not start: The server did not answer in time\.$/)
  assert.deepEqual(asked, ['trial updates.probe', 'live updates.probe', 'trial updates.probe', 'live updates.probe'])
  assert.equal((await tried({ page: 60 })).result, 'The front page does not answer in time.')
})
test('pages that nobody but a cache shows there say nothing', async () => {
  assert.equal((await tried({ unseen: true })).result, 'unknown')
})
test('pages that are slower than before say nothing', async (t) => {
  let now = 0
  const { site } = aSite({})
  const { sights } = await lookOnce(here, site, standard, { answer: null, wide: false })
  t.mock.method(performance, 'now', () => (now += 5_000))
  assert.equal(await tryOut(here, site, { ...standard, before: sights }, signal), 'unknown')
})
test('where it is installed they are harm; where the version before is back they are the host’s doing', async (t) => {
  let now = 0
  const { site } = aSite({})
  const { sights } = await lookOnce(here, site, standard, { answer: null, wide: false })
  t.mock.method(performance, 'now', () => (now += 5_000))
  const seen = async (more: Partial<Standard>) =>
    (await lookOnce(here, site, { ...standard, ...more, before: sights }, { answer: null, wide: false })).health.problem
  assert.match(String(await seen({})), /takes \d+\.0 s; before it was/)
  assert.equal(await seen({ isBack: true }), null)
  const otherLogin = sights.map((sight) => (sight.page === 'login' ? { ...sight, bytes: 5_000, title: 'Log in' } : sight))
  const { health } = await lookOnce(here, site, { ...standard, before: otherLogin }, { answer: null, wide: false })
  assert.equal(health.problem, 'The login page is blank.', 'what is clearly wrong is told first')
})
