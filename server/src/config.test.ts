import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const feed = (SERVICE_VULNERABILITY_FEED: string, SERVICE_VULNERABILITY_FEED_HEADER?: string) =>
  readConfig({ SERVICE_VULNERABILITY_FEED, ...(SERVICE_VULNERABILITY_FEED_HEADER !== undefined && { SERVICE_VULNERABILITY_FEED_HEADER }) })
    .vulnerabilityFeed

test('a feed is one address or path, or several, and a header for one host', () => {
  assert.deepEqual(readConfig({}).vulnerabilityFeed, { sources: [], header: undefined })
  assert.deepEqual(feed(' https://a.example/x?k=1  /var/feed.json\nfile:///b%20c.json ./d.json https://a.example/x?k=1').sources, [
    { kind: 'url', address: 'https://a.example/x?k=1' },
    { kind: 'file', address: '/var/feed.json' },
    { kind: 'file', address: '/b c.json' },
    { kind: 'file', address: resolve('d.json') },
  ])
  assert.deepEqual(feed('https://a.example/x https://a.example/y', 'Authorization: Bearer abc').header, {
    name: 'Authorization',
    value: 'Bearer abc',
  })
  assert.equal(feed('/x.json', '').header, undefined)
})

test('links lead to this machine where the service listens on each of its addresses, and to where it listens otherwise', () => {
  for (const [SERVICE_HOST, host] of [
    ['0.0.0.0', 'localhost'],
    ['::', 'localhost'],
    ['0:0:0:0:0:0:0:0', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
    ['10.0.0.1', '10.0.0.1'],
  ] as const)
    assert.equal(readConfig({ SERVICE_HOST }).baseUrl, `http://${host}:8080`)
  assert.equal(readConfig({ SERVICE_HOST: '0.0.0.0', SERVICE_BASE_URL: 'https://fleet.example/' }).baseUrl, 'https://fleet.example')
})

const secret = 'SECRETSECRET'
const refused: [string, string, string?][] = [
  ['a password in the address', `https://me:${secret}@a.example/`],
  ['another protocol', `ftp://a.example/${secret}`],
  ['a word', secret],
  ['a header without a name', 'https://a.example/', secret],
  ['a header of two lines', 'https://a.example/', `X-Key: ${secret}\r\nHost: b`],
  ['a header for two hosts', `https://a.example/?${secret} https://b.example/`, `X-Key: ${secret}`],
]
for (const [what, ...setting] of refused)
  test(`${what} is refused, and not repeated`, () => {
    assert.throws(
      () => feed(...setting),
      (error) => error instanceof ConfigError && /SERVICE_VULNERABILITY_FEED/.test(error.message) && !error.message.includes(secret),
    )
  })

test('an address that mails come back to leaves room for a +word', () => {
  const back = (SERVICE_MAIL_BOUNCES: string) => readConfig({ SERVICE_MAIL_BOUNCES }).mailBounces
  assert.equal(back(''), undefined)
  assert.equal(back('bounces@mail.example.com'), 'bounces@mail.example.com')
  for (const wrong of [
    'bounces',
    'a+b@example.com',
    'Fleet <a@example.com>',
    `${'a'.repeat(32)}@example.com`,
    'a@b\r\nRCPT TO:<c@d>',
    '@example.com',
  ])
    assert.throws(() => back(wrong), ConfigError, wrong)
})

test('a setting that does not exist is refused with those there are; what clients and tests read is left alone', () => {
  assert.throws(() => readConfig({ SERVICE_PRT: '1' }), {
    message: /^There is no setting SERVICE_PRT\. There is: .*SERVICE_PORT, .*docs\/operating\.md/,
  })
  const others = { SERVICE_TOKEN: 'x', SERVICE_URL: 'x', SERVICE_TEST_POSTGRES: 'x', OTHER_SERVICE_PRT: 'x', PATH: '/bin' }
  assert.equal(readConfig(others).port, 8080)
})
