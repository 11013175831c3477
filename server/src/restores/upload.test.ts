import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { SiteError } from '../connector/site-error.ts'
import type { SiteClient } from '../sites/client.ts'
import { Uploader } from './upload.ts'

/** A site that puts together what arrives, by the places that are named. */
function aSite() {
  const arrived = Buffer.alloc(8_000_000)
  const ask = async (_verb: string, { items }: { items: { o: number; n: number }[] }, { payload }: { payload: Buffer }) => {
    let at = 0
    for (const { o, n } of items) at += payload.copy(arrived, o, at, at + n)
  }
  return { arrived, site: { connection: { mode: 'headers' }, ask } as unknown as SiteClient }
}

test('a host whose firewall turns large requests away with a page of its own gets smaller ones', async () => {
  const sizes: number[] = []
  const { arrived, site } = aSite()
  const limited = async (...asked: Parameters<typeof site.ask>) => {
    const { payload } = asked[2] as unknown as { payload: Buffer }
    sizes.push(payload.length)
    if (payload.length > 900_000) throw new SiteError('security_plugin', 'ModSecurity blocked it.', { status: 406 })
    return site.ask(...asked)
  }
  const uploader = new Uploader(
    { ...site, ask: limited, once: limited } as unknown as SiteClient,
    { job: 'job_1', fence: 1 },
    async () => undefined,
  )
  const sent = randomBytes(arrived.length)
  await uploader.bytes(Buffer.from(sent))
  assert.ok(arrived.equals(sent), 'all of it arrived')
  assert.ok(
    sizes.some((size) => size > 900_000),
    'larger ones were tried',
  )
  assert.ok(sizes.filter((size) => size > 900_000).length <= 3, 'and no more of the large ones')
})

test('the rows of a table of several blobs arrive one behind the other, although each is given back once it was sent', async () => {
  const { arrived, site } = aSite()
  const uploader = new Uploader(site, { job: 'job_1', fence: 1 }, async () => undefined)
  const blobs = ['a', 'b', 'c']
  const table = { ranges: blobs.map((id) => ({ blobs: [id] })), bytes: 300_000 } as unknown as Parameters<Uploader['rows']>[1]
  await uploader.rows(0, table, async (id) => Buffer.from(new Uint8Array(100_000).fill(id.charCodeAt(0)).buffer))
  assert.equal(arrived.subarray(0, 300_000).toString(), blobs.map((id) => id.repeat(100_000)).join(''))
})
