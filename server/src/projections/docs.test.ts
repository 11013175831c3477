import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureOperations } from '../../test/fixture-operations.ts'
import { docs } from './docs.ts'
import { manifest } from './manifest.ts'

const described = manifest(fixtureOperations)
const { html, css } = docs(described, 'https://fleet.example/a&b')

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

test('every code of the table of problems is explained', () => {
  for (const code of Object.keys(described.problems)) assert.ok(html.includes(`<th scope="row"><code>${code}</code></th>`), code)
})

test('it stands alone: no script, no style in the text, nothing from elsewhere', () => {
  assert.doesNotMatch(html, /<script|<style|<img|<iframe|\son\w+=|style="/)
  assert.deepEqual(html.match(/<link[^>]*>/g), ['<link rel="stylesheet" href="docs.css">'])
  assert.doesNotMatch(css, /@import|url\(/)
})

test('every link inside the page leads somewhere, and no id is there twice', () => {
  const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1])
  assert.equal(new Set(ids).size, ids.length)
  for (const [, target = ''] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(target), target)
})

test('what an operation says is text, never markup', () => {
  const [first, ...rest] = described.operations
  assert.ok(first)
  const page = docs({ ...described, operations: [{ ...first, summary: '<script>"&\'' }, ...rest] }, 'https://fleet.example')
  assert.match(page.html, /&#60;script&#62;&#34;&#38;&#39;/)
  assert.doesNotMatch(page.html, /<script/)
})
