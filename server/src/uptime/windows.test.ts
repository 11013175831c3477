import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import { type JsonSchema, manifest } from '../projections/manifest.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
})
after(() => here.close())

test('a maintenance without a zone is in UTC, and the answer says so', async () => {
  const { id } = await here.site()
  const { token } = await here.token('write')
  for (const path of ['/api/v1/uptime/windows', `/api/v1/sites/${id}/uptime/windows`]) {
    const soon = new Date(here.world.now().getTime() + 86_400_000).toISOString()
    const body = { starts_at: soon.slice(0, 16), ends_at: `${soon.slice(0, 10)} 23:59:59+00:00`, reason: 'A new disk' }
    const { status, headers, json } = await here.rest('POST', path, { token, body })
    const { starts_at, ends_at } = json as unknown as Record<string, string>
    assert.deepEqual([status, starts_at, ends_at], [201, `${soon.slice(0, 16)}:00.000Z`, `${soon.slice(0, 10)}T23:59:59.000Z`])
    assert.equal(headers.get('svc-notice'), `starts_at ${body.starts_at} has no time zone and was taken as UTC.`)
  }
})

test('no operation reads a time in a way of its own', () => {
  const strict = (schema: JsonSchema | undefined): boolean =>
    schema !== undefined &&
    (schema.format === 'date-time' || [...Object.values(schema.properties ?? {}), schema.items, ...(schema.anyOf ?? [])].some(strict))
  const own = manifest(operations).operations.filter(({ input }) => strict(input))
  assert.deepEqual(
    own.map(({ name }) => name),
    [],
  )
})
