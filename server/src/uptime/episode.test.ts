import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { advance, type Observation, type Standing, type Turn } from './episode.ts'

const start = Date.UTC(2026, 0, 1)
const minute = 60_000
const at = (n: number) => new Date(start + n * minute)
const unknown: Standing = {
  up: null,
  appUp: null,
  appKnown: true,
  connectorSilent: null,
  goodSince: null,
  appMisses: 0,
  connectorMisses: 0,
}
const up: Standing = { ...unknown, up: true, appUp: true, connectorSilent: false }
const good = (n: number, more: Partial<Observation> = {}): Observation => ({
  ...{ at: at(n), failedAt: null, up: true, excluded: false, appAsked: 'appUp' in more, appUp: null, connector: null },
  ...more,
})
const bad = (n: number, more: Partial<Observation> = {}): Observation => good(n, { up: false, failedAt: at(n), ...more })

/** One after the other, with a minute of recovery. */
function play(standing: Standing, all: readonly Observation[]) {
  const turns: Turn[] = []
  for (const found of all) {
    const next = advance(standing, found, minute)
    standing = next.after
    turns.push(...next.turns)
  }
  return { standing, turns }
}

test('what was never up begins no incident', () => {
  const { standing, turns } = play(unknown, [bad(0), bad(1), good(2)])
  assert.deepEqual([standing.up, turns], [true, []])
})

test('an incident begins with the first failed try, and ends when it answered again, once it has done so for a while', () => {
  const { turns } = play(up, [bad(0, { at: at(0.5) }), good(1), bad(2), good(3), good(4)])
  assert.deepEqual(turns, [
    { kind: 'down', begins: at(0) },
    { kind: 'down', ends: at(3) },
  ])
  assert.equal(play(up, [bad(0), good(1)]).standing.up, false, 'not after one answer')
})

test('what says nothing about the site begins nothing, and still starts a recovery again', () => {
  assert.deepEqual(play(up, [bad(0, { excluded: true }), bad(1, { excluded: true })]).turns, [])
  const { standing } = play(up, [bad(0), good(1), bad(2, { excluded: true }), good(2.5)])
  assert.equal(standing.up, false)
})

test('WordPress and the connector have episodes of their own, after two misses, and an unknown is none', () => {
  const seen = [good(0, { appUp: false, connector: false }), good(5, { appUp: null }), good(10, { appUp: false, connector: false })]
  const { standing, turns } = play(up, seen)
  assert.deepEqual(turns, [
    { kind: 'app_down', begins: at(10) },
    { kind: 'connector_silent', begins: at(10) },
  ])
  assert.deepEqual(play(standing, [good(15, { appUp: true, connector: true })]).turns, [
    { kind: 'app_down', ends: at(15) },
    { kind: 'connector_silent', ends: at(15) },
  ])
  assert.deepEqual(play(unknown, [...seen, ...seen]).turns, [], 'what was never heard is not silent')
})

test('what a look could not tell is not known, nor is anything while it is down; neither ends an incident', () => {
  const known = (...seen: Observation[]) => play(up, seen).standing.appKnown
  assert.equal(known(good(0)), true, 'it was not looked at')
  assert.equal(known(good(0, { appUp: null })), false)
  assert.equal(known(good(0, { appUp: null }), good(5, { appUp: true })), true)
  assert.equal(known(bad(0), good(1), good(3)), false, 'it is up again, and WordPress was not asked yet')
  assert.equal(known(bad(0, { excluded: true })), true)
  const broken = [good(0, { appUp: false }), good(5, { appUp: false })]
  const { standing, turns } = play(up, [...broken, good(10, { appUp: null }), bad(11), good(12), good(14)])
  assert.deepEqual([standing.appUp, turns.filter(({ kind }) => kind === 'app_down').length], [false, 1])
  assert.deepEqual(play(standing, [good(15, { appUp: true })]).turns, [{ kind: 'app_down', ends: at(15) }])
})

test('in every history incidents of a kind begin and end in turn, and never in a check that says nothing', () => {
  const flag = fc.option(fc.boolean(), { nil: null })
  const check = fc.record({ up: fc.boolean(), excluded: fc.boolean(), appUp: flag, connector: flag })
  fc.assert(
    fc.property(fc.array(check, { maxLength: 40 }), (all) => {
      let standing = unknown
      const open = new Set<string>()
      for (const [n, each] of all.entries()) {
        const { after, turns } = advance(standing, { ...(each.up ? good(n) : bad(n)), ...each }, minute)
        for (const turn of turns) {
          const begins = 'begins' in turn
          assert.equal(open.has(turn.kind), !begins)
          if (begins) open.add(turn.kind)
          else open.delete(turn.kind)
          assert.ok(!(begins && each.excluded))
        }
        standing = after
        assert.equal(open.has('down'), standing.up === false)
        assert.equal(open.has('app_down'), standing.appUp === false)
        assert.equal(open.has('connector_silent'), standing.connectorSilent === true)
      }
    }),
  )
})
