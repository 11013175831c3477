import type { Entry, Manifest } from '../src/manifest.ts'

const entry = (more: Partial<Entry> & Pick<Entry, 'name' | 'http'>): Entry => ({
  title: more.name,
  summary: `Does ${more.name}.`,
  scope: 'read',
  effect: 'read',
  status: 200,
  bytes: false,
  input: { type: 'object', properties: {} },
  example: {},
  command: `svc ${more.name.replace('.', ' ')}`,
  ...more,
})

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const started = { type: 'object', properties: { job_id: text, status: text } }

/** A contract of an orchard, to show that the command line knows nothing but what it reads. */
export const contract: Manifest = {
  problems: {
    invalid_payload: { status: 400, exit: 2, title: 'Invalid payload', retryable: false, next: 'Do it again.' },
    unauthenticated: { status: 401, exit: 3, title: 'Missing or invalid token', retryable: false, next: 'Do it again.' },
    not_found: { status: 404, exit: 4, title: 'Not found', retryable: false, next: 'Do it again.' },
    conflict: { status: 409, exit: 5, title: 'Conflict', retryable: true, next: 'Do it again.' },
    site_unreachable: { status: 502, exit: 6, title: 'The site could not be reached', retryable: true, next: 'Do it again.' },
    rate_limited: { status: 429, exit: 7, title: 'Too many requests', retryable: true, next: 'Do it again.' },
    internal: { status: 500, exit: 1, title: 'Something broke on our side', retryable: true, next: 'Do it again.' },
  },
  operations: [
    entry({
      name: 'trees.list',
      http: ['GET /trees', 'GET /orchards/{orchard_id}/trees'],
      list: 'trees',
      columns: ['id', 'status', 'size_bytes', 'planted_at', 'pears'],
      input: {
        type: 'object',
        properties: {
          orchard_id: { ...text, description: 'The orchard.' },
          limit: { type: 'integer', default: 50 },
          tag: { type: 'array', items: text },
          ripe: { type: 'boolean' },
          status: { type: 'string', enum: ['healthy', 'failed'] },
        },
      },
      output: {
        type: 'object',
        properties: {
          counts: { type: 'object', properties: { healthy: { type: 'integer' }, felled: { type: 'integer' } } },
          trees: {
            type: 'array',
            items: {
              type: 'object',
              properties: { id: text, status: text, size_bytes: { type: 'integer' }, planted_at: time, pears: { type: 'object' } },
            },
          },
        },
      },
    }),
    entry({
      name: 'trees.water',
      tool: 'water_tree',
      http: ['POST /orchards/{orchard_id}/trees/{tree_id}/actions'],
      action: 'water',
      scope: 'write',
      effect: 'change',
      status: 202,
      input: {
        type: 'object',
        required: ['orchard_id', 'tree_id', 'liters'],
        properties: { orchard_id: text, tree_id: text, liters: { type: 'number', description: 'How much.' }, note: text },
      },
      output: started,
      command: 'svc trees water north tree_1 --liters 5 --wait',
    }),
    entry({
      name: 'trees.harvest',
      http: ['GET /orchards/{orchard_id}/trees/{tree_id}/harvest'],
      bytes: true,
      input: { type: 'object', required: ['orchard_id', 'tree_id'], properties: { orchard_id: text, tree_id: text } },
    }),
    entry({
      name: 'jobs.get',
      tool: 'get_job',
      http: ['GET /jobs/{job_id}'],
      input: { type: 'object', required: ['job_id'], properties: { job_id: text } },
      output: { type: 'object', properties: { id: text, status: text } },
    }),
    entry({ name: 'keys.burn', http: ['POST /keys'], scope: 'manage' }),
  ],
}
