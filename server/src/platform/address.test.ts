import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { failureOf } from '../../test/failure.ts'
import { canary, disguises, SPECIAL } from '../../test/special-addresses.ts'
import { until } from '../../test/until.ts'
import { isPrivateAddress, isPublicAddress } from './address.ts'
import { FetchError } from './fetch-error.ts'

const PUBLIC = ['93.184.215.14', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::200e']

/** As long as a busy machine takes; what is to be late says how long it is waited for. */
const get = (url: string) => ({ method: 'GET', url, maxBytes: 1_000, timeoutMs: 30_000 }) as const
const reasonOf = async (promise: Promise<unknown>) => (await failureOf(FetchError, promise)).reason

describe('an address that is not public', () => {
  for (const address of SPECIAL) {
    test(`${address} is not dialled in any disguise`, async (t) => {
      for (const [url, answer] of disguises(address)) {
        const { reached, fetch } = await canary(t, async () => answer)
        assert.equal(await reasonOf(fetch(get(url))), 'blocked_address', url)
        assert.deepEqual([reached.connections, reached.dialled], [0, []])
      }
    })

    test(`${address} is not dialled when DNS gives it on the second question`, async (t) => {
      let asked = 0
      const { reached, fetch } = await canary(t, async () => (asked++ === 0 ? ['93.184.215.14'] : [address]))
      assert.equal(await reasonOf(fetch(get('https://rebind.example/'))), 'connect')
      assert.deepEqual([reached.resolved, reached.dialled, reached.connections], [1, ['93.184.215.14'], 0])
    })
  }

  test('is refused by the table, and public ones are not', () => {
    assert.ok(SPECIAL.length >= 51)
    assert.deepEqual(SPECIAL.filter(isPublicAddress), [])
    assert.deepEqual(
      PUBLIC.filter((address) => !isPublicAddress(address)),
      [],
    )
    assert.equal(isPublicAddress('fe80::1%lo'), false)
    assert.equal(isPublicAddress('localhost'), false)
  })
})

test('metadata services, multicast and mapped addresses stay shut even for intranets', () => {
  const open = SPECIAL.filter(isPrivateAddress)
  const expected = [
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.1.2.3',
    '127.255.255.254',
    '172.16.0.1',
  ]
  assert.deepEqual(open, [...expected, '172.31.255.255', '192.168.0.1', '192.168.255.255', '::1', 'fc00::1', 'fd00:ec2::254', 'fdff::1'])
})

test('other spellings of loopback, user names, ports and schemes are refused without a connection', async (t) => {
  const hosts = [
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127.0.0.1.',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    '%31%32%37.0.0.1',
  ]
  const urls = [
    'https://a@127.0.0.1/',
    'https://a\\@127.0.0.1/',
    'https://good.example\\@127.0.0.1/',
    'https://u:p@good.example/',
    'http://good.example/',
  ]
  const more = [
    'https://good.example:22/',
    'https://good.example:6379/',
    'file:///etc/passwd',
    'ftp://good.example/',
    'https://good.example/\r\nHost: x',
    'nonsense',
    '',
  ]
  // Names lead to what is public where the spelling alone must be refused.
  const inside = await canary(t, async () => ['127.0.0.1'])
  const outside = await canary(t, async () => ['93.184.215.14'])
  for (const [{ reached, fetch }, each] of [
    [inside, hosts.map((host) => `https://${host}/`)],
    [outside, [...urls, ...more]],
  ] as const) {
    for (const url of each) assert.equal(await reasonOf(fetch(get(url))), 'blocked_address', url)
    assert.deepEqual(reached.dialled, [])
  }
})

test('a socket that ends up somewhere else than was dialled gets no byte', async (t) => {
  const { reached, fetch, port } = await canary(t, async () => ['93.184.215.14'], { dial: () => connect({ host: '127.0.0.1', port }) })
  assert.equal(await reasonOf(fetch(get('https://hijacked.example/'))), 'blocked_address')
  await until(() => reached.closed === 1)
  assert.equal(reached.bytes, 0)
})

test('a name without addresses, an unknown name and a silent resolver are told as DNS', async (t) => {
  const none = await canary(t, async () => [])
  assert.equal(await reasonOf(none.fetch(get('https://none.example/'))), 'dns')
  const unknown = await canary(t, () => Promise.reject(new Error('ENOTFOUND')))
  assert.equal(await reasonOf(unknown.fetch(get('https://unknown.example/'))), 'dns')
})
