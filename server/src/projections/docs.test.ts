import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fixtureOperations } from '../../test/fixture-operations.ts'
import { svcInstalled } from './command.ts'
import { docs } from './docs.ts'
import { type Manifest, manifest } from './manifest.ts'

const described = manifest(fixtureOperations)
const pagesOf = (manifest: Manifest, baseUrl: string): Record<string, string> =>
  Object.fromEntries(Object.entries(docs(manifest, baseUrl).pages).map(([path, make]) => [path, make()]))
const { css, script } = docs(described, 'https://fleet.example/a&b')
const pages = pagesOf(described, 'https://fleet.example/a&b')
const html = Object.values(pages).join('\n')

test('the page has every operation a token may call, and no other', () => {
  const articles = [...html.matchAll(/<article id="([^"]+)"/g)].map((match) => match[1])
  assert.deepEqual(articles.toSorted(), [
    'activity.list',
    'backups.create',
    'backups.download',
    'sites.list',
    'sites.ping',
    'updates.apply',
  ])
})

test('every operation is shown as a curl line, a command, a tool and an answer', () => {
  assert.match(
    html,
    /curl https:\/\/fleet.example\/a&#38;b\/api\/v1\/sites\/site_1\/backups|curl &#39;https:\/\/fleet.example\/a&#38;b\/api\/v1\/sites\/site_1\/backups&#39;/,
  )
  assert.match(html, /-d &#39;{&#34;type&#34;:&#34;db&#34;}&#39;/)
  assert.match(html, /svc backups create site_1 --type db --wait/)
  assert.match(html, /create_backup {\n {2}&#34;site_id&#34;: &#34;site_1&#34;/)
  assert.match(
    html,
    /Answer · 202<\/figcaption><pre tabindex="0"><code>{\n {2}job_id: string\n {2}status: &#34;queued&#34; \| &#34;running&#34;/,
  )
})

test('before the first command it is said how svc is got, as the readmes say it', () => {
  const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
  const [packed = '', installed = ''] = svcInstalled.text.split('\n')
  assert.ok(pages['/docs']?.includes(`<code>${svcInstalled.text}\n\nsvc sites list</code>`))
  assert.ok(pages['/docs']?.includes(svcInstalled.about))
  for (const readme of ['README.md', 'cli/README.md']) assert.ok(read(readme).includes(`\n${installed}\n`), readme)
  assert.ok(read('cli/README.md').includes(`\n${packed} `))
  const { version } = JSON.parse(read('cli/package.json')) as { version: string }
  assert.equal(installed, `npm install --global ./service-cli-${version}.tgz`)
})

test('every code of the table of problems is explained', () => {
  for (const code of Object.keys(described.problems)) assert.ok(html.includes(`<th scope="row"><code>${code}</code></th>`), code)
})

test('it stands alone: one script of ours in a file, no style in the text, nothing from elsewhere', () => {
  for (const [path, page] of Object.entries(pages)) {
    const up = path === '/docs' ? '' : '../'
    assert.doesNotMatch(page, /<style|<img|<iframe|\son\w+=|style="/)
    assert.deepEqual(page.match(/<script[^>]*>[^<]*/g), [`<script src="${up}docs.js" defer>`])
    assert.deepEqual(page.match(/<link[^>]*>/g), [`<link rel="stylesheet" href="${up}docs.css">`])
  }
  assert.doesNotMatch(css, /@import|url\(/)
  assert.doesNotMatch(script, /innerHTML|outerHTML|insertAdjacent|document\.write|eval|fetch|https?:/)
})

test('each capability has a page of its own, and only that one tells its operations', () => {
  assert.deepEqual(Object.keys(pages), ['/docs', '/docs/sites', '/docs/updates', '/docs/backups', '/docs/activity'])
  assert.match(pages['/docs/backups'] ?? '', /<article id="backups.create"/)
  for (const [path, page] of Object.entries(pages)) if (path !== '/docs/backups') assert.doesNotMatch(page, /<article id="backups/)
})

test('every link of every page leads somewhere, and no id is there twice', () => {
  const idsOf = (page = '') => [...page.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1])
  for (const [path, page] of Object.entries(pages)) {
    assert.equal(new Set(idsOf(page)).size, idsOf(page).length, path)
    for (const [, href = ''] of page.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const { pathname, hash } = new URL(href, `https://fleet.example${path}`)
      if (pathname.startsWith('/api/')) continue
      assert.ok(pages[pathname], `${path}: ${href}`)
      if (hash) assert.ok(idsOf(pages[pathname]).includes(hash.slice(1)), `${path}: ${href}`)
    }
  }
})

test('what an operation says is text, never markup', () => {
  const [first, ...rest] = described.operations
  assert.ok(first)
  const changed = pagesOf({ ...described, operations: [{ ...first, summary: '<script>"&\'' }, ...rest] }, 'https://fleet.example')
  const page = Object.values(changed).join('')
  assert.match(page, /&#60;script&#62;&#34;&#38;&#39;/)
  assert.doesNotMatch(page, /<script>/)
})
