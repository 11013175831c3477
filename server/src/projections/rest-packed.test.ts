import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { copySites } from '../../test/filled.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

let here: TestWorld
let token: string
before(async () => {
  here = await aWorld()
  token = (await here.token('read')).token
  const { id } = await here.site()
  await copySites(here, id, 20, (n) => ({ name: `Garden ${n}` }))
})
after(() => here.close())

/** As it comes over the wire. */
function ask(headers: Record<string, string>): Promise<{ status: number; headers: http.IncomingHttpHeaders; bytes: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: http.IncomingHttpHeaders; bytes: Buffer }>()
  const url = `${here.url}/api/v1/sites`
  http
    .get(url, { headers: { authorization: `Bearer ${token}`, ...headers } }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(pieces) }))
    })
    .on('error', reject)
  return promise
}

test('a page of ours gets a long answer packed, and is told when it is still the same', async () => {
  const own = { 'accept-encoding': 'gzip, br', 'sec-fetch-site': 'same-origin' }
  const [plain, packed] = [await ask({}), await ask(own)]
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(packed.bytes).toString(), plain.bytes.toString())
  assert.ok(packed.bytes.length * 4 < plain.bytes.length)
  assert.equal(packed.headers.etag, `W/${plain.headers.etag}`)
  assert.match(packed.headers.vary ?? '', /accept-encoding, sec-fetch-site/)
  const again = await ask({ ...own, 'if-none-match': String(packed.headers.etag) })
  assert.deepEqual([again.status, again.bytes.length], [304, 0])
})

for (const [who, headers] of Object.entries({
  'a program': { 'accept-encoding': 'gzip' },
  'what another page makes a browser ask': { 'accept-encoding': 'gzip', 'sec-fetch-site': 'cross-site' },
  'what somebody goes to by a link': { 'accept-encoding': 'gzip', 'sec-fetch-site': 'none' },
  'a browser that takes no gzip': { 'accept-encoding': 'br', 'sec-fetch-site': 'same-origin' },
}))
  test(`nothing is packed for ${who}: a length would tell what is in it`, async () => {
    const answer = await ask(headers)
    assert.equal(answer.headers['content-encoding'], undefined)
    assert.ok(JSON.parse(answer.bytes.toString()).length > 20)
  })
