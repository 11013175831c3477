// How many ways of harming a site by an update `npm run prove:updates` tries on each engine, and that none is tried without its bar.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindsOn, LANES } from './native/updates/cases.ts'

for (const db of ['mariadb', 'sqlite'] as const)
  test(`at least thirty on ${db}`, (t) => {
    const kinds = kindsOn(db, LANES)
    t.diagnostic(`${kinds.size}: ${[...kinds].join(', ')}`)
    assert.ok(kinds.size >= 30, String(kinds.size))
  })

test('at least twenty of them no trial lets through, on both', () => {
  const cases = LANES.flatMap((lane) => lane.cases.map((each) => ({ ...each, db: lane.spec.db })))
  for (const db of ['mariadb', 'sqlite']) {
    const met = cases.filter((each) => each.db === db && each.ends === 'rolled_back' && each.offer.plugins && !each.untried && !each.unmet)
    assert.ok(new Set(met.map(({ name }) => name)).size >= 20, `${met.length} on ${db}`)
  }
})

test('at least thirty on both keep no visitor from the page for longer than ten seconds', () => {
  const brief = LANES.map((lane) => ({ ...lane, cases: lane.cases.filter(({ isDownBecause, untried }) => !isDownBecause && !untried) }))
  for (const db of ['mariadb', 'sqlite'] as const) {
    const kinds = kindsOn(db, brief)
    assert.ok(kinds.size >= 30, `${kinds.size} on ${db}`)
  }
})
