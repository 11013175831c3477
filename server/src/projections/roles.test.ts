import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../capabilities.ts'
import type { Caller } from '../kernel/context.ts'
import { mayWait, type Scope } from '../kernel/operation.ts'
import { admit } from '../kernel/run.ts'
import { scopesOf } from '../members/schema.ts'
import { rolesTable } from './roles.ts'

const lines = rolesTable(operations, scopesOf).split('\n')
const heads = lines.find((line) => line.startsWith('operation'))?.split(/ +/) ?? []
/** Who → what the table says of an operation. */
const saidOf = (name: string) => {
  const cells = lines.find((line) => line.startsWith(`${name} `))?.split(/ +/) ?? []
  return Object.fromEntries(heads.slice(1, -1).map((head, n) => [head, cells[n + 1]]))
}

const tokens: Record<string, Scope[]> = { read: ['read'], write: ['read', 'write'], approval: ['read', 'write'] }

test('the table of roles says of every operation what the door says', () => {
  assert.deepEqual(heads, ['operation', 'owner', 'admin', 'member', 'viewer', 'guest', 'read', 'write', 'approval', 'also'])
  for (const operation of operations) {
    const said = saidOf(operation.name)
    const admitted = (type: Caller['type'], scopes: ReadonlySet<Scope>) => {
      try {
        return admit(operation, { type, scopes } as Caller) !== undefined
      } catch {
        return false
      }
    }
    const isLetIn = (cell: string | undefined) => cell !== '-' && cell !== 'plan'
    // That an admin is refused what owners alone have done is held in members/members.test.ts.
    const others = !operation.byOwner
    for (const [role, scopes] of Object.entries(scopesOf))
      assert.equal(isLetIn(said[role]), admitted('user', scopes) && (role === 'owner' || others), `${operation.name} ${role}`)
    for (const [token, scopes] of Object.entries(tokens))
      assert.equal(isLetIn(said[token]), admitted('token', new Set(scopes)), `${operation.name} ${token}`)
    assert.equal(said.approval === 'asks' || said.approval === 'some', mayWait(operation), `${operation.name}: a person decides`)
    assert.ok(isLetIn(said.viewer) || !isLetIn(said.guest), `${operation.name}: a guest may no more than a viewer`)
  }
})
