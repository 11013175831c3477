import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Network } from './network.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)
const yes = async () => true
const no = async () => false

/** `failing` of `all` servers fail, with three sites on each. */
function note(network: Network, seconds: number, failing: number, all: number): void {
  for (let site = 0; site < 3 * all; site++) network.note(at(seconds), `10.0.0.${site % all}`, site % all < failing)
}

test('the operator’s probe proves our network at the moment of the failure; what it could not reach is over twenty seconds later', async () => {
  const network = new Network()
  network.note(at(0), 'one', true)
  assert.equal(await network.isOurs(at(0), yes), false)
  assert.equal(await network.isOurs(at(1), no), true)
  assert.equal(await network.isOurs(at(15), yes), true)
  assert.equal(await network.isOurs(at(22), yes), false)
})

test('more than a quarter of all servers at once is us, a quarter is not, and a host with many sites is one', async () => {
  const few = new Network()
  note(few, 0, 5, 20)
  assert.equal(await few.isOurs(at(1), null), false)
  const many = new Network()
  note(many, 0, 6, 20)
  assert.equal(await many.isOurs(at(1), null), true)
  const host = new Network()
  for (let site = 0; site < 300; site++) host.note(at(0), site < 200 ? 'the host' : `10.0.1.${site}`, site < 200)
  assert.equal(await host.isOurs(at(1), null), false)
})

test('a server with one site that answers is there', async () => {
  const network = new Network()
  note(network, 0, 20, 20)
  for (let server = 0; server < 17; server++) network.note(at(1), `10.0.0.${server}`, false)
  assert.equal(await network.isOurs(at(2), null), false)
})

test('where the probe answers all the time, so many failing sites are believed after five minutes; without one never', async () => {
  const [probed, bare] = [new Network(), new Network()]
  for (let seconds = 0; seconds < 320; seconds += 10) {
    for (const network of [probed, bare]) note(network, seconds, 20, 20)
    assert.equal(await probed.isOurs(at(seconds), yes), seconds < 300, `${seconds}`)
    assert.equal(await bare.isOurs(at(seconds), null), true)
  }
})
