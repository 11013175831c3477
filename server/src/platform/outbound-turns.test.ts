import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOutboundTurns } from './outbound-turns.ts'

const waitMs = 20

test('a party has its own turns at an address; the address and we have a limit for all of them', async () => {
  const turn = openOutboundTurns({ perAddress: 1, perParty: 2, together: 2, inAll: 4 })
  const first = await turn('ws_1', '192.0.2.1', waitMs)
  assert.equal(await turn('ws_1', '192.0.2.1', waitMs), undefined, 'one of a party at an address')
  const second = await turn('ws_2', '192.0.2.1', waitMs)
  assert.ok(first && second, 'another party does not wait for it')
  assert.equal(await turn('ws_3', '192.0.2.1', waitMs), undefined, 'two of all at an address')
  const third = await turn('ws_1', '192.0.2.2', waitMs)
  assert.ok(third)
  assert.equal(await turn('ws_1', '192.0.2.3', waitMs), undefined, 'two of a party')
  assert.ok(await turn('ws_3', '192.0.2.3', waitMs))
  assert.equal(await turn('ws_4', '192.0.2.4', waitMs), undefined, 'four of all')
  first()
  assert.ok(await turn('ws_4', '192.0.2.4', waitMs))
})

test('what was refused has kept nothing of what it took before', async () => {
  const turn = openOutboundTurns({ perAddress: 2, perParty: 2, together: 1, inAll: 2 })
  const held = await turn('ws_1', '192.0.2.1', waitMs)
  for (let n = 0; n < 5; n++) assert.equal(await turn('ws_2', '192.0.2.1', waitMs), undefined)
  held?.()
  for (let n = 0; n < 5; n++) {
    const giveBack = await turn('ws_2', '192.0.2.1', waitMs)
    assert.ok(giveBack)
    giveBack()
  }
})
