import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { KINDS, SAMPLE_PLUGIN } from './sample-plugin.ts'
import { type Mirror, startMirror } from './wporg-mirror.ts'

let mirror: Mirror
before(async () => {
  mirror = await startMirror()
})
after(() => mirror.stop())

async function askAbout(kind: 'plugins' | 'themes', installed: Record<string, object>) {
  const body = new URLSearchParams({ [kind]: JSON.stringify({ [kind]: installed }) })
  const answer = await fetch(`${mirror.url}/api/${kind}/update-check/1.1/`, { method: 'POST', body })
  return (await answer.json()) as Record<string, Record<string, { new_version: string; package: string }>>
}

test('a newer version is offered with a package that can be downloaded', async () => {
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0' } })
  const offered = (await askAbout('plugins', { [SAMPLE_PLUGIN]: { Version: '1.0.0' } })).plugins?.[SAMPLE_PLUGIN]
  assert.equal(offered?.new_version, '1.1.0')
  const path = new URL(offered.package).pathname
  const bytes = await (await fetch(`${mirror.url}/downloads${path}`)).bytes()
  assert.equal(Buffer.from(bytes).toString('latin1', 0, 2), 'PK')
})

test('the installed version, a newer one and another seller are not offered an update', async () => {
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0', 'paid/paid.php': '9.0' } })
  for (const version of ['1.1.0', '1.10.0', '2']) {
    const answer = await askAbout('plugins', { [SAMPLE_PLUGIN]: { Version: version } })
    assert.deepEqual(answer.plugins, {}, version)
  }
  const paid = await askAbout('plugins', { 'paid/paid.php': { Version: '1.0', UpdateURI: 'https://seller.example/' } })
  assert.deepEqual(paid.plugins, {})
})

test('themes and WordPress itself are offered too', async () => {
  mirror.offer({ themes: { harbour: '1.1.0' }, core: '7.1.2' })
  assert.equal((await askAbout('themes', { harbour: { Version: '1.0.0' } })).themes?.harbour?.new_version, '1.1.0')
  const core = (await (await fetch(`${mirror.url}/api/core/version-check/1.7/?version=7.1.1`)).json()) as {
    offers: { response: string; version: string }[]
  }
  assert.deepEqual(
    core.offers.map(({ response, version }) => [response, version]),
    [
      ['upgrade', '7.1.2'],
      ['autoupdate', '7.1.2'],
    ],
  )
})

test('broken packages are broken, and what nobody offers is not there', async () => {
  const download = async (version: string) => {
    const answer = await fetch(`${mirror.url}/downloads/plugin/harbour-notices.${version}.zip`)
    return { status: answer.status, bytes: Buffer.from(await answer.bytes()) }
  }
  const good = await download(KINDS.good_new.version)
  const truncated = await download(KINDS.truncated_zip.version)
  assert.ok(truncated.bytes.length < good.bytes.length && !truncated.bytes.includes('PK\x05\x06'))
  assert.match((await download(KINDS.not_a_zip.version)).bytes.toString(), /^<html>/)
  assert.equal((await download('8.8.8')).status, 404)
})

test('a translation is offered until the site has it', async () => {
  mirror.offer({ translation: true })
  const ask = async (installed: object) => {
    const body = new URLSearchParams({ plugins: '{"plugins":{}}', translations: JSON.stringify(installed) })
    const answer = await fetch(`${mirror.url}/api/plugins/update-check/1.1/`, { method: 'POST', body })
    return ((await answer.json()) as { translations: { package: string }[] }).translations
  }
  const [offered] = await ask({})
  const bytes = Buffer.from(await (await fetch(`${mirror.url}/downloads${new URL(offered?.package ?? '').pathname}`)).bytes())
  assert.ok(bytes.includes('harbour-notices-de_DE.mo'))
  assert.deepEqual(await ask({ 'harbour-notices': { de_DE: { 'PO-Revision-Date': '2026-06-01 12:00:00+0000' } } }), [])
})

test('the log tells what was asked, once', async () => {
  mirror.log()
  await fetch(`${mirror.url}/api/translations/core/1.0/`)
  await fetch(`${mirror.url}/elsewhere`)
  assert.deepEqual(mirror.log(), [
    { method: 'GET', path: '/api/translations/core/1.0/', status: 200 },
    { method: 'GET', path: '/elsewhere', status: 404 },
  ])
  assert.deepEqual(mirror.log(), [])
})

test('a stalled download never ends', async () => {
  const given = new AbortController()
  const { signal } = given
  const answer = await fetch(`${mirror.url}/downloads/plugin/harbour-notices.${KINDS.stalled_download.version}.zip`, { signal })
  assert.equal(answer.status, 200)
  // Only a clock can show it; it begins once the download has, however long that took.
  setTimeout(() => given.abort(), 300)
  await assert.rejects(answer.bytes(), { name: 'AbortError' })
})
