import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteClient } from '../sites/client.ts'
import { Uploader } from './upload.ts'

/** A site that puts together what arrives, by the places that are named. */
function aSite() {
  const arrived = Buffer.alloc(400_000)
  const ask = async (_verb: string, { items }: { items: { o: number; n: number }[] }, { payload }: { payload: Buffer }) => {
    let at = 0
    for (const { o, n } of items) at += payload.copy(arrived, o, at, at + n)
  }
  return { arrived, site: { connection: { mode: 'headers' }, ask } as unknown as SiteClient }
}

test('the rows of a table of several blobs arrive one behind the other, although each is given back once it was sent', async () => {
  const { arrived, site } = aSite()
  const uploader = new Uploader(site, { job: 'job_1', fence: 1 }, async () => undefined)
  const blobs = ['a', 'b', 'c']
  const table = { ranges: blobs.map((id) => ({ blobs: [id] })), bytes: 300_000 } as unknown as Parameters<Uploader['rows']>[1]
  await uploader.rows(0, table, async (id) => Buffer.from(new Uint8Array(100_000).fill(id.charCodeAt(0)).buffer))
  assert.equal(arrived.subarray(0, 300_000).toString(), blobs.map((id) => id.repeat(100_000)).join(''))
})
