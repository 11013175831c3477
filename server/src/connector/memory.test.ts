import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Trouble } from '../../test/fake-trouble.ts'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import type { Deps, SiteConnection } from './ask.ts'
import { call, readFiles } from './call.ts'
import type { Params } from './commands.ts'
import { SiteError } from './site-error.ts'

const READ: Params<'files.read'> = { root: 'abspath', items: [{ p: 'index.php', o: 0, n: 1_024 }], max_bytes: 1_000_000, budget_ms: 1_000 }
const TROUBLES: Trouble[] = ['huge', 'huge_announced', 'deep', 'ten_million', 'gzip_bomb', 'drip', 'flood_of_headers', 'bad_utf8']

// Alone in its file: the highest memory use of a process never sinks again. The site lives in another process.
test('a hostile site cannot take more than 64 MiB of our memory, whatever it sends', async (t) => {
  const child = fork(new URL('../../test/fake-site-main.ts', import.meta.url))
  t.after(() => child.kill())
  const [paired] = await once(child, 'message')
  const siteKeys = paired.siteKeys.map((each: { keyid: string; key: { kty: string } }) => {
    return { keyid: each.keyid, key: createPublicKey({ key: each.key, format: 'jwk' }) }
  })
  const servicePrivateKey = createPrivateKey({ key: paired.serviceKey, format: 'jwk' })
  const hostile: SiteConnection = { ...paired.connection, servicePrivateKey, siteKeys }
  const guarded = createGuardedFetch({ allowPrivate: true })
  t.after(guarded.close)
  const deps: Deps = { fetch: guarded.fetch, now: () => new Date() }
  await call(deps, hostile, { verb: 'ping', params: {} })
  for (let i = 0; i < 20; i++) await readFiles(deps, hostile, READ)
  const most = () => process.resourceUsage().maxRSS / 1024
  const start = most()
  for (const trouble of TROUBLES) {
    child.send(trouble)
    await once(child, 'message')
    const calls = [
      () => call(deps, hostile, { verb: 'ping', params: {} }, { timeoutMs: 500 }),
      () => readFiles(deps, hostile, READ, { timeoutMs: 2_000 }),
    ]
    for (const each of calls) {
      await assert.rejects(each(), (error) => error instanceof SiteError && /too_large|malformed|timeout|bad_signature/.test(error.reason))
    }
  }
  t.diagnostic(`grew by ${Math.round(most() - start)} MiB`)
  assert.ok(most() - start < 64, `grew by ${most() - start} MiB`)
})
