import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Health, ItemResult } from './schema.ts'
import { toldOf } from './words.ts'

const health = (ok: boolean): { before: null; after: Health } => ({
  before: null,
  after: {
    ok,
    connector_answers: ok,
    checked_at: '2026-01-01T00:00:00Z',
    pages: [],
    problem: null,
    site_said: null,
    errors_meanwhile: null,
  },
})
const item = (slug: string, status: ItemResult['status'], reason: string | null = null, ok = true): ItemResult => ({
  ...{ type: 'plugin', slug, file: `${slug}/${slug}.php`, name: slug, from_version: '1.0', to_version: '2.0' },
  ...{ status, reason, site_said: null, health: health(ok), seconds: 1 },
})

test('an update job is told in one sentence, and by what became of its items', () => {
  const said = (...items: ItemResult[]) => toldOf({ items })
  assert.deepEqual(said(item('garden', 'updated')), { outcome: 'done', summary: 'Updated “garden” from 1.0 to 2.0.' })
  assert.deepEqual(said(item('garden', 'already_current')), { outcome: 'done', summary: 'Everything was up to date.' })
  assert.deepEqual(said(item('a', 'updated'), item('b', 'updated'), item('c', 'rolled_back', 'The front page answers with 500.')), {
    outcome: 'partly',
    summary: 'Updated 2 items; The update of “c” to 2.0 was taken back because the front page answers with 500.',
  })
  assert.deepEqual(said(item('c', 'rolled_back', 'The front page is blank.')).outcome, 'taken_back')
  assert.deepEqual(said(item('c', 'skipped', 'It needs PHP 8.4.')), {
    outcome: 'failed',
    summary: '“c” was not tried: it needs PHP 8.4.',
  })
  const unheard = (heard: string | null, ...items: ItemResult[]) => toldOf({ items, offers_heard_at: heard })
  assert.deepEqual(unheard(null, item('garden', 'already_current')), {
    outcome: 'failed',
    summary: 'The site got no answer when it asked what is on offer, so what is new is unknown; ask again later.',
  })
  assert.deepEqual(unheard('2026-01-01T00:00:00.000Z', item('garden', 'updated')), {
    outcome: 'done',
    summary:
      'Updated “garden” from 1.0 to 2.0; The site got no answer when it asked what is on offer, so what is new since 2026-01-01T00:00:00.000Z is unknown; ask again later.',
  })
  const dead = said(item('a', 'updated'), item('b', 'failed', 'WordPress does not start.', false))
  assert.deepEqual(
    [dead.outcome, dead.summary.split('; ')[1]],
    ['failed', 'The update of “b” to 2.0 failed because WordPress does not start and the site needs a look.'],
  )
  const failed = (reason: string | null) => said(item('b', 'failed', reason)).summary
  assert.equal(failed(null), 'The update of “b” to 2.0 failed; the site is as it was.')
  assert.equal(
    failed('The site says it updated, but runs 1.9. It was asked again.'),
    'The update of “b” to 2.0 failed because the site says it updated, but runs 1.9; the site is as it was.',
  )
  const many = (slugs: string) => said(...slugs.split('').map((slug) => item(slug, 'skipped', 'It needs PHP 8.4.'))).summary
  assert.match(many('abcdef'), /^(“\w” was not tried: it needs PHP 8\.4(; |\.$)){6}$/)
  assert.match(many('abcdefg'), /; 1 more was not updated\.$/)
  assert.match(many('abcdefgh'), /; 2 more were not updated\.$/)
  assert.equal(said(item('<b>evil</b>', 'updated')).summary, 'Updated a plugin from 1.0 to 2.0.')
})
