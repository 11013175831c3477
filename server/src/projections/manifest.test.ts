import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureOperations } from '../../test/fixture-operations.ts'
import { splitPath } from './command.ts'
import { answerOf, manifest } from './manifest.ts'

const { operations, problems } = manifest(fixtureOperations)
const entry = (name: string) => {
  const found = operations.find((candidate) => candidate.name === name)
  assert.ok(found)
  return found
}

test('the manifest is plain JSON', () => {
  assert.deepEqual(JSON.parse(JSON.stringify({ operations, problems })), { operations, problems })
})

test('inputs are closed and outputs are open', () => {
  assert.equal(entry('backups.create').input.additionalProperties, false)
  assert.equal(JSON.stringify(operations.map(({ output }) => output)).includes('additionalProperties'), false)
})

test('a field with a default is not required of the caller', () => {
  assert.deepEqual(entry('backups.create').input.required, ['site_id'])
})

test('a read is idempotent, a write only when it says so', () => {
  assert.deepEqual([entry('sites.list').idempotent, entry('backups.create').idempotent], [true, false])
})

test('a file has no output schema, a list travels bare', () => {
  assert.equal(entry('backups.download').output, undefined)
  assert.equal(answerOf(entry('sites.list')).type, 'array')
})

test('a path is taken apart', () => {
  assert.deepEqual(splitPath('GET /sites/{site_id}/backups/{backup_id}'), {
    method: 'get',
    path: '/sites/{site_id}/backups/{backup_id}',
    fields: ['site_id', 'backup_id'],
  })
})
