import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { failureOf } from '../../test/failure.ts'
import { startFakeSite } from '../../test/fake-site.ts'
import { TROUBLES, type Trouble } from '../../test/fake-trouble.ts'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import { ask, type Deps } from './ask.ts'
import { call } from './call.ts'
import { SiteError } from './site-error.ts'

const guarded = createGuardedFetch({ allowPrivate: true })
const deps: Deps = { fetch: guarded.fetch, now: () => new Date() }
after(guarded.close)

const VERDICTS: [Trouble, code: string, reason: string, words: RegExp][] = [
  ['html', 'site_refused', 'html_instead_of_json', /web page/],
  ['not_active', 'site_refused', 'html_instead_of_json', /not active/],
  ['empty', 'site_refused', 'not_signed', /not signed/],
  ['redirect', 'site_refused', 'redirect', /^The site seems to have moved: [^/]*see where\.$/],
  ['redirect_local', 'site_refused', 'redirect', /moved/],
  ['redirect_login', 'site_refused', 'login_wall', /login page/],
  ['challenge', 'site_refused', 'challenge_page', /Cloudflare/],
  ['security_plugin', 'site_refused', 'security_plugin', /Wordfence/],
  ['login_wall', 'site_refused', 'login_wall', /log in/],
  ['basic_auth', 'site_refused', 'login_wall', /password/],
  ['server_error', 'site_failed', 'http_status', /critical error/],
  ['gateway', 'site_failed', 'http_status', /502/],
  ['rest_closed', 'site_refused', 'security_plugin', /REST API is closed/],
  ['false_clock_hint', 'site_refused', 'clock', /clock/],
  ['false_refusal', 'site_refused', 'refused:key', /another service/],
  ['unsigned_json', 'site_refused', 'not_signed', /did not sign/],
  ['flood_of_headers', 'site_failed', 'too_large', /headers/],
  ['unsigned', 'site_refused', 'not_signed', /did not sign/],
  ['wrong_key', 'site_failed', 'bad_signature', /forged/],
  ['other_site', 'site_failed', 'bad_signature', /another site/],
  ['tampered', 'site_failed', 'bad_signature', /changed on its way/],
  ['bad_status', 'site_failed', 'bad_signature', /signature/],
  ['garbage', 'site_failed', 'malformed', /JSON/],
  ['wrong_shape', 'site_failed', 'malformed', /not as agreed \(time\)/],
  ['bad_utf8', 'site_failed', 'malformed', /JSON/],
  ['deep', 'site_failed', 'malformed', /JSON/],
  ['ten_million', 'site_failed', 'malformed', /JSON/],
  ['error_words', 'site_failed', 'error:failed', /^The connector could not do it\. [^E]*$/],
  ['dirty', 'site_failed', 'bad_signature', /changed on its way/],
  ['dirty_host', 'site_failed', 'bad_signature', /changed on its way/],
  ['gzip_bomb', 'site_failed', 'malformed', /wrong kind/],
  ['down', 'site_unreachable', 'connect', /broke off/],
  ['half', 'site_unreachable', 'connect', /broke off/],
  ['drop_reply', 'site_unreachable', 'connect', /broke off/],
  ['garbage_bytes', 'site_failed', 'malformed', /HTTP/],
  ['slow', 'site_timeout', 'timeout', /in time/],
  ['stall', 'site_timeout', 'timeout', /in time/],
  ['drip', 'site_timeout', 'timeout', /in time/],
  ['huge', 'site_failed', 'too_large', /larger than/],
  ['huge_announced', 'site_failed', 'too_large', /larger than/],
  ['strip_headers', 'site_refused', 'refused:signature_input', /removes or changes headers/],
  ['only_ajax', 'site_refused', 'http_status', /403/],
  ['clock', 'site_refused', 'clock', /clock/],
]

/** What the site itself said of it. */
const SAID: Partial<Record<Trouble, RegExp>> = {
  error_words: /^Evil long/,
  redirect: /^https:\/\/www\.example\.org\//,
  redirect_local: /^http:\/\/127\.0\.0\.1:1\/$/,
  rest_closed: /^rest_not_logged_in$/,
}

for (const [trouble, code, reason, words] of VERDICTS) {
  test(`a site in trouble (${trouble}) is told as ${code}, ${reason}`, async (t) => {
    const mine = await startFakeSite()
    t.after(mine.stop)
    const mySite = mine.pair()
    mine.misbehave(trouble)
    const error = await failureOf(
      SiteError,
      call(deps, mySite, { verb: 'ping', params: {} }, { timeoutMs: code === 'site_timeout' ? 300 : 60_000, retries: 0 }),
    )
    assert.deepEqual([error.code, error.reason], [code, reason])
    assert.match(error.message, words)
    const said = error.siteSaid?.text ?? ''
    assert.match(said, SAID[trouble] ?? /^$/)
    assert.ok(said.length <= 300 && !/[\p{Cc}\p{Cf}]/u.test(said), 'what the site said is short and clean, and beside our words')
    assert.ok(error.message.length < 400 && !/[\p{Cc}\p{Cf}]/u.test(error.message), 'the message is short and clean')
  })
}

const PING = { method: 'ping', params: {} }

test('a site that is not there is unreachable, and a private one is blocked', async (t) => {
  const site = await startFakeSite()
  t.after(site.stop)
  const connection = site.pair()
  const nowhere = { ...connection, url: 'http://127.0.0.1:9', home: 'http://127.0.0.1:9' }
  assert.equal((await failureOf(SiteError, ask(deps, nowhere, PING, { retries: 0 }))).reason, 'connect')
  const strict = createGuardedFetch()
  const error = await failureOf(SiteError, ask({ ...deps, fetch: strict.fetch }, { ...connection, home: 'https://127.0.0.1' }, PING))
  assert.deepEqual([error.code, error.reason, error.retryable], ['site_unreachable', 'blocked_address', false])
  assert.equal((await failureOf(SiteError, ask(deps, { ...connection, home: 'no url' }, PING))).reason, 'blocked_address')
})

test('a site that replays an old answer is found out', async (t) => {
  const site = await startFakeSite()
  t.after(site.stop)
  const connection = site.pair()
  site.misbehave('replayed')
  await call(deps, connection, { verb: 'ping', params: {} })
  assert.equal((await failureOf(SiteError, call(deps, connection, { verb: 'ping', params: {} }))).reason, 'bad_signature')
})

test('a site that is a clone answers reads and refuses writes', async (t) => {
  const site = await startFakeSite()
  t.after(site.stop)
  const connection = site.pair()
  site.misbehave('clone')
  assert.equal((await call(deps, connection, { verb: 'ping', params: {} })).result.clone, true)
  const login = { ticket_sha256: '0'.repeat(64), requester: 'Ann', ttl: 60 }
  const error = await failureOf(SiteError, call(deps, connection, { verb: 'login.issue', params: login }))
  assert.deepEqual([error.code, error.reason], ['site_refused', 'clone'])
  assert.equal(site.state.tickets.size, 0)
})

test('every trouble that the fake site knows is tried by some test', () => {
  const elsewhere: Trouble[] = ['endless', 'replayed', 'clone', 'body_filter', 'body_breaker', 'small_bodies', 'long_filtered']
  assert.deepEqual(TROUBLES.filter((each) => !VERDICTS.some(([trouble]) => trouble === each)).toSorted(), elsewhere.toSorted())
})
