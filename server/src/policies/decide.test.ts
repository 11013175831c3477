import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomOf } from '../../test/fuzz-requests.ts'
import { type Jump, jumpOf, jumps } from '../kernel/effects.ts'
import { decide, isLooser, strictness } from './decide.ts'
import type { Decision, Rule } from './schema.ts'
import type { Version } from './store.ts'

const version = (rules: Rule[]): Version => ({ version: 3, rules, set_by: null, set_at: null })
const decisions = ['auto', 'ask', 'never'] as const

test('how far an update leads: what cannot be told is major, and of WordPress every new second number is', () => {
  const told = (from: string, to: string, type = 'plugin') => jumpOf({ type, from, to })
  const expected: [string, string, Jump][] = [
    ['1.2.3', '1.2.4', 'patch'],
    ['1.2', '1.2.1', 'patch'],
    ['1.2.3', '1.3', 'minor'],
    ['1', '1.1', 'minor'],
    ['1.9', '2.0', 'major'],
    ['2.0', '1.9', 'major'],
    ['1.3', '1.2.9', 'major'],
    ['v1.2.3', 'v1.2.4', 'patch'],
    ['', '1.0', 'major'],
    ['nightly', '1.0', 'major'],
    ['1.2.3', 'nightly', 'major'],
  ]
  for (const [from, to, jump] of expected) assert.equal(told(from, to), jump, `${from} → ${to}`)
  assert.equal(told('6.8.1', '6.8.2', 'core'), 'patch')
  assert.equal(told('6.8.1', '6.9', 'core'), 'major')
  assert.equal(told('', '', 'translations'), 'patch')
})

test('of several sites, items and tags the strictest word holds; a site’s own goes before its tags', () => {
  const rule = (over: Partial<Rule>): Rule => ({ effect: 'updates', jump: 'patch', site_id: null, tag: null, decision: 'auto', ...over })
  const rules = [rule({ tag: 'staging' }), rule({ tag: 'shop', decision: 'never' }), rule({ site_id: 'one', decision: 'ask' })]
  const held = (site: { id: string; tags: string[] } | null, jump: Jump = 'patch') =>
    decide(version(rules), [{ effect: 'updates', jump }], site ? [site] : []).decision
  assert.equal(held({ id: 'two', tags: [] }), 'ask')
  assert.equal(held({ id: 'two', tags: ['staging'] }), 'auto')
  assert.equal(held({ id: 'two', tags: ['staging', 'shop'] }), 'never')
  assert.equal(held({ id: 'one', tags: ['staging', 'shop'] }), 'ask')
  assert.equal(held({ id: 'two', tags: ['staging'] }, 'major'), 'ask')
  assert.equal(held(null), 'never', 'of the whole workspace whatever is said anywhere')
  const mixed = decide(
    version(rules),
    [
      { effect: 'updates', jump: 'patch' },
      { effect: 'core_updates', jump: 'patch' },
    ],
    [{ id: 'two', tags: ['staging'] }],
  )
  assert.deepEqual([mixed.decision, mixed.version], ['ask', 3])
  assert.equal(decide(version([]), [], []).decision, 'ask', 'what does nothing that is known is asked for')
})

test('what may never be done without asking is not, whatever the database says', () => {
  for (const effect of ['restores', 'deletions', 'salts', 'labels', 'logins', 'reports'] as const) {
    const rules = [{ effect, jump: null, site_id: null, tag: null, decision: 'auto' as const }]
    assert.equal(decide(version(rules), [{ effect }], []).decision, 'ask', effect)
  }
  for (const jump of jumps) {
    const rules = [{ effect: 'core_updates' as const, jump, site_id: null, tag: null, decision: 'auto' as const }]
    assert.equal(decide(version(rules), [{ effect: 'core_updates', jump }], []).decision, 'ask', jump)
  }
})

test('a change that is not called looser lets no site there may be have anything done that was asked for before', () => {
  const { pick } = randomOf(20_261_123)
  const places = [
    { site_id: null, tag: null },
    ...['a', 'b', 'c'].map((tag) => ({ site_id: null, tag })),
    ...['one', 'two'].map((site_id) => ({ site_id, tag: null })),
  ]
  const sets = [[], ['a'], ['b'], ['c'], ['a', 'b'], ['a', 'c'], ['b', 'c'], ['a', 'b', 'c']]
  const sites = ['one', 'two', 'other'].flatMap((id) => sets.map((tags) => ({ id, tags })))
  let [calledLooser, calledTighter] = [0, 0]
  for (let round = 0; round < 5000; round++) {
    const cell = { effect: pick(['backups', 'triage'] as const), jump: null }
    const rules = places.flatMap((place): Rule[] => (pick([true, false]) ? [{ ...cell, ...place, decision: pick(decisions) }] : []))
    const place = { ...cell, ...pick(places) }
    const after: Decision | null = pick([...decisions, null])
    const others = rules.filter(({ site_id, tag }) => site_id !== place.site_id || tag !== place.tag)
    const changed = after === null ? others : [...others, { ...place, decision: after }]
    if (isLooser(rules, place, after)) {
      calledLooser++
      continue
    }
    calledTighter++
    for (const site of [...sites.map((each) => [each]), []]) {
      const [was, is] = [rules, changed].map((those) => decide(version(those), [{ effect: cell.effect }], site).decision)
      // Of the whole workspace whatever is said anywhere; there a word that is taken back may have been the strictest of all.
      if (site.length === 0) continue
      assert.ok(strictness[is as Decision] >= strictness[was as Decision], JSON.stringify({ rules, place, after, site, was, is }))
    }
  }
  assert.ok(Math.min(calledLooser, calledTighter) > 500, `${calledLooser}, ${calledTighter}`)
})
