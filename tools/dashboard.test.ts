import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { configurations } from '../dashboard/src/agents/configurations.ts'
import { builtDigest, sourceDigest } from './dashboard.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dashboard/dist')

test('the built dashboard is what its sources say (else npm run pack)', () => assert.equal(builtDigest(), sourceDigest()))

test('the first page of the dashboard is at most 220 KB to load, packed', () => {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8')
  const loaded = [...page.matchAll(/"\/assets\/([^"]+\.(?:js|css))"/g)].map(([, name = '']) => name)
  assert.ok(loaded.length >= 4, 'scripts, style, and what they need at once')
  const bytes = loaded.reduce((sum, name) => sum + gzipSync(readFileSync(join(DIST, 'assets', name)), { level: 9 }).length, 0)
  assert.ok(bytes <= 220 * 1024, `${bytes} bytes`)
})

test('the page of the dashboard has no script and no style but files of its own', () => {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8')
  assert.doesNotMatch(page, /<style|\son\w+=|style=|<script(?![^>]*\ssrc="\/assets\/)|https?:/)
  for (const file of globSync('assets/*', { cwd: DIST })) assert.ok(statSync(join(DIST, file)).isFile())
})

test('the dashboard knows the service by its contract alone, and never turns text into markup', () => {
  const sources = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: ROOT })
  assert.ok(sources.length > 30)
  for (const file of sources) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    assert.doesNotMatch(text, /from '[^']*(server|cli|mcp)\//, file)
    assert.doesNotMatch(text, /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, file)
  }
})

test('what is ready to paste is what docs/agents.md says', () => {
  const page = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8').replaceAll(/\s+/g, '')
  const said = configurations('https://fleet.example.org', 'svc_…')
  assert.deepEqual(
    said.map(({ id }) => id),
    ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'curl', 'svc'],
  )
  for (const { id, text } of said.filter(({ id }) => ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex'].includes(id))) {
    const plain = id === 'claude-code' ? text.replace('svc_…', '$SERVICE_TOKEN') : id === 'codex' ? (text.split('\n')[1] ?? '') : text
    assert.ok(page.includes(plain.replaceAll(/\s+/g, '')), `${id}: ${plain}`)
  }
})
