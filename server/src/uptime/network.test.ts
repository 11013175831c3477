import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Network } from './network.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)
/** A site that was up fails since then, and the operator's probe says so. */
const since = (seconds: number, answers: boolean | null = null, everyMs = 60_000) => [{ since: at(seconds), answers, everyMs }]

/** `failing` of `all` servers fail, with three sites on each. */
function note(network: Network, seconds: number, failing: number, all: number): void {
  for (let site = 0; site < 3 * all; site++) network.note(at(seconds), `10.0.0.${site % all}`, site % all < failing)
}

test('the operator’s probe proves our network at the moment of the failure; what it could not reach is over twenty seconds later', () => {
  const network = new Network()
  network.note(at(0), 'one', true)
  assert.equal(network.isOurs(at(0), since(0, true)), false)
  assert.equal(network.isOurs(at(1), [...since(0, true), ...since(1, false)]), true)
  assert.equal(network.isOurs(at(15), since(8, true)), true)
  assert.equal(network.isOurs(at(22), since(15, true)), false)
})

test('more than a quarter of all servers at once is us, a quarter is not, and a host with many sites is one', () => {
  const few = new Network()
  note(few, 0, 5, 20)
  assert.equal(few.isOurs(at(1), since(0)), false)
  const many = new Network()
  note(many, 0, 6, 20)
  assert.equal(many.isOurs(at(1), since(0)), true)
  const host = new Network()
  for (let site = 0; site < 300; site++) host.note(at(0), site < 200 ? 'the host' : `10.0.1.${site}`, site < 200)
  assert.equal(host.isOurs(at(1), since(0)), false)
})

test('a server with one site that answers is there', () => {
  const network = new Network()
  note(network, 0, 20, 20)
  for (let server = 0; server < 17; server++) network.note(at(1), `10.0.0.${server}`, false)
  assert.equal(network.isOurs(at(2), since(0)), false)
})

test('what answered before a site began to fail proves nothing about the time since then', () => {
  const network = new Network()
  note(network, 0, 0, 20)
  note(network, 10, 20, 20)
  note(network, 1, 0, 20)
  assert.equal(network.isOurs(at(11), since(9)), true)
  const part = new Network()
  note(part, 0, 0, 20)
  note(part, 10, 4, 4)
  assert.equal(part.isOurs(at(11), since(9)), true, 'four were asked since then, and none answers')
  const over = new Network()
  note(over, 0, 19, 20)
  note(over, 30, 1, 20)
  assert.equal(over.isOurs(at(31), since(29)), false)
})

test('of fewer than four servers all must fail, of one alone nobody can tell, and a site that was down already tells nothing', () => {
  for (const [failing, all, ours] of [
    [1, 1, false],
    [1, 2, false],
    [2, 2, true],
    [2, 3, false],
    [3, 3, true],
    [3, 4, false],
  ] as const) {
    const network = new Network()
    note(network, 0, failing, all)
    assert.equal(network.isOurs(at(1), since(0)), ours, `${failing} of ${all}`)
    assert.equal(new Network().isOurs(at(1), [{ since: null, answers: null, everyMs: 60_000 }]), false)
  }
})

test('witnesses are servers that were not asked since then and are not known to be down; no more are remembered than twenty thousand', () => {
  const network = new Network()
  const page = { url: 'https://example.com', party: 'ws' }
  network.note(at(0), 'old', false, page)
  network.note(at(1), 'dead', true, page)
  network.believe('dead')
  network.note(at(5), 'asked', false, page)
  assert.deepEqual(network.witnesses(at(2), 8), [{ server: 'old', page }])
  for (let n = 0; n < 20_000; n++) network.note(at(1), `${n}`, false, page)
  assert.equal(network.witnesses(at(2), 30_000).length, 20_000)
})

test('where the probe answers all the time, so many failing sites are believed after five minutes; without one never', () => {
  const [probed, bare] = [new Network(), new Network()]
  for (let seconds = 0; seconds < 320; seconds += 10) {
    for (const network of [probed, bare]) note(network, seconds, 20, 20)
    assert.equal(probed.isOurs(at(seconds), since(seconds, true)), seconds < 300, `${seconds}`)
    assert.equal(bare.isOurs(at(seconds), since(seconds)), true)
  }
})

test('that so many fail goes on from turn to turn, whatever else is looked at between them', () => {
  for (const everyMs of [60_000, 600_000]) {
    const network = new Network()
    const turn = (seconds: number) => {
      note(network, seconds, 4, 6)
      return network.isOurs(at(seconds), since(seconds, true, everyMs))
    }
    const every = everyMs / 1000
    let seconds = 0
    for (; seconds < 300; seconds += every) {
      assert.equal(turn(seconds), true, `${seconds}`)
      assert.equal(network.isOurs(at(seconds + 40), [{ since: null, answers: true, everyMs }]), false, 'what was down already is looked at')
      assert.equal(network.isOurs(at(seconds + 45), []), false)
    }
    assert.equal(turn(seconds), false)
    network.believe('10.0.0.0')
    assert.equal(network.isOurs(at(seconds + 3), since(seconds + 3, true, everyMs)), false, 'nor is one more that fails then')
    assert.equal(turn(seconds + 2.5 * every + 100), true, 'later it is another trouble')
  }
})

test('what the probe could not reach meanwhile begins the five minutes anew', () => {
  const network = new Network()
  for (let seconds = 0; seconds <= 420; seconds += 60) {
    note(network, seconds, 20, 20)
    assert.equal(network.isOurs(at(seconds), since(seconds, seconds !== 60)), seconds < 420, `${seconds}`)
  }
})
