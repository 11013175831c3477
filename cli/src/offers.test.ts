import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contract } from '../test/contract.ts'
import { type Answer, fakeService, json } from '../test/installed.ts'
import { complete } from './completion.ts'
import { loadManifest } from './manifest.ts'
import { asking } from './offers.ts'

const sent = { SERVICE_TOKEN: 'svc_x' }
const trees = contract.operations.find(({ name }) => name === 'trees.list') ?? assert.fail()
const fleet = loadManifest()

/** The words that TAB offers behind these, of a service that answers so, and what it was asked. */
async function offered(words: string[], answer: Answer, manifest = contract) {
  await using service = await fakeService(answer)
  const found = await complete(manifest, words, asking(manifest, { ...sent, SERVICE_URL: service.url, SVC_TAB_SECONDS: '60' }))
  return { found, seen: service.seen.map(({ url }) => url.replace('/api/v1', '')) }
}

const isFlag = (word: string) => word.startsWith('--')

test('sites are offered by their domains, backups of the site that stands before them by their ids', async () => {
  const sites = [
    { id: 'site_1', url: 'https://example.com' },
    { id: 'site_2', url: 'http://example.org/blog/' },
  ]
  const has: Answer = ({ url }, response) => json(response, 200, url.includes('/backups') ? [{ id: 'backup_1' }] : sites)
  assert.deepEqual(await offered(['sites', 'get', ''], has, fleet), { found: ['example.com', 'example.org/blog'], seen: ['/sites'] })
  assert.deepEqual(await offered(['sites', 'get', 'example.o'], has, fleet), { found: ['example.org/blog'], seen: ['/sites?q=example.o'] })
  const { found, seen } = await offered(['restores', 'create', 'example.com', '--type', 'db', ''], has, fleet)
  assert.deepEqual([found, seen], [['backup_1'], ['/sites/example.com/backups']])
})

const hostile: [string, Answer][] = [
  ['breaks off', (_, response) => void response.destroy()],
  ['refuses', (_, response) => json(response, 401, { code: 'unauthenticated', title: 'No', detail: 'No.' })],
  ['sends elsewhere', (_, response) => void response.writeHead(302, { location: 'http://evil.example' }).end()],
  ['is no service', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['answers with something else', (_, response) => json(response, 200, { id: 'tree_1' })],
  ['has nulls in its list', (_, response) => json(response, 200, [null, 7, { id: null }, { id: { a: 1 } }])],
  ['floods', (_, response) => void response.writeHead(200).end(`[{"id":"${'a'.repeat(9_000_000)}"}]`)],
  [
    'offers what a shell would run',
    (_, response) =>
      json(
        response,
        200,
        ['$(reboot)', '`reboot`', 'a b', '-rf', '\u001b[2J'].map((id) => ({ id })),
      ),
  ],
]
for (const [does, answer] of hostile)
  test(`a service that ${does} is offered nothing of, and TAB is left with flags`, async () => {
    const { found } = await offered(['trees', 'water', 'north', ''], answer)
    assert.ok(found.length > 0 && found.every(isFlag), `${found}`)
  })

test('after a second without an answer, or as many as are set, nothing is offered', async (t) => {
  // The seconds are counted by hand: nothing here waits for a clock.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [begun, set, seconds] of [
    [false, {}, 1],
    [true, {}, 1],
    [false, { SVC_TAB_SECONDS: '3' }, 3],
    [true, { SVC_TAB_SECONDS: 'long' }, 1],
  ] as const) {
    let asked = () => {}
    const heard = new Promise<void>((resolve) => (asked = resolve))
    await using service = await fakeService((_, response) => {
      if (begun) response.writeHead(200).write('[')
      asked()
    })
    const words = asking(contract, { ...sent, ...set, SERVICE_URL: service.url })(trees, {}, '')
    await heard
    t.mock.timers.tick(seconds * 1000)
    assert.deepEqual(await words, [])
  }
})

test('a token crosses no network unencrypted for the sake of a TAB', async (t) => {
  t.mock.method(globalThis, 'fetch', () => assert.fail('asked'))
  assert.deepEqual(await asking(contract, { ...sent, SERVICE_URL: 'http://fleet.example' })(trees, {}, ''), [])
  assert.equal((globalThis.fetch as unknown as { mock: { callCount(): number } }).mock.callCount(), 0)
})
