import { z } from 'zod'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Client, ClientName, ClientRef, Logo, settings } from './schema.ts'
import * as service from './service.ts'

const optional = z.object({ ...settings, logo: Logo }).partial().shape

export const list = workspaceOperation({
  name: 'clients.list',
  http: 'GET /clients',
  title: 'List clients',
  summary: 'Whose sites these are, by name, with how their reports look and when they come.',
  scope: 'read',
  effect: 'read',
  list: 'clients',
  columns: ['name', 'sites', 'schedule.next_at', 'recipients', 'language', 'time_zone', 'id'],
  input: z.strictObject({ q: z.string().min(1).max(200).optional().describe('Part of the name.'), limit: limit(200, 50), cursor: Cursor }),
  output: page('clients', Client),
  example: { q: 'garden' },
  handle: service.pageOfClients,
})

export const get = workspaceOperation({
  name: 'clients.get',
  http: 'GET /clients/{client_id}',
  title: 'Read one client',
  summary: 'One client: how many sites, how reports look, who gets them, and when the next one comes.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ client_id: ClientRef }),
  output: Client,
  example: { client_id: 'client_01k0000000000000000000000a' },
  handle: (context, { client_id }) => service.getClient(context, client_id),
})

export const create = workspaceOperation({
  name: 'clients.create',
  http: 'POST /clients',
  title: 'Add a client',
  summary: 'Add a client. Its sites are those whose client has its name: sites.set says so, and makes a client that is not there yet.',
  scope: 'write',
  effect: 'create',
  policy: 'labels',
  status: 201,
  input: z.strictObject({ name: ClientName.describe('What sites are told to be of.'), ...optional }),
  output: Client,
  example: { name: 'Example Ltd', language: 'en', time_zone: 'Europe/London', recipients: ['ann@example.com'] },
  handle: service.createClient,
})

export const set = workspaceOperation({
  name: 'clients.set',
  http: 'POST /clients/{client_id}',
  title: 'Change a client',
  summary:
    'Set the name of a client, how its reports look, who gets them and when they come; what is left out stays. Its sites follow a new name.',
  scope: 'write',
  effect: 'change',
  policy: 'labels',
  idempotent: true,
  input: z.strictObject({ client_id: ClientRef, name: ClientName.optional().describe('A new name.'), ...optional }),
  output: Client,
  example: { client_id: 'client_01k0000000000000000000000a', colour: '#0b5fb0', schedule: { mode: 'draft', day: 2 } },
  handle: (context, { client_id, ...given }) => service.setClient(context, client_id, given),
})

export const remove = workspaceOperation({
  name: 'clients.remove',
  http: 'DELETE /clients/{client_id}',
  title: 'Remove a client',
  summary: 'Forget a client with all of its reports and their links. Its sites stay, and are nobody’s.',
  scope: 'manage',
  effect: 'destroy',
  input: z.strictObject({ client_id: ClientRef }),
  output: z.object({ id: z.string(), removed: z.boolean() }),
  example: { client_id: 'client_01k0000000000000000000000a' },
  handle: (context, { client_id }) => service.removeClient(context, client_id),
})

export const logo = workspaceOperation({
  name: 'clients.logo',
  http: 'GET /clients/{client_id}/logo',
  title: 'Download a logo',
  summary: 'The logo of a client, as it stands on its reports.',
  scope: 'read',
  effect: 'read',
  bytes: true,
  input: z.strictObject({ client_id: ClientRef }),
  output: z.unknown(),
  example: { client_id: 'client_01k0000000000000000000000a' },
  handle: (context, { client_id }) => service.logoOf(context, client_id),
})
