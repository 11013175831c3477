import { z } from 'zod'
import { page } from '../kernel/shapes.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Query } from './query.ts'
import { Column, View, ViewId } from './schema.ts'
import { ownViews, removeView, saveView } from './service.ts'

export const list = workspaceOperation({
  name: 'views.list',
  http: 'GET /views',
  title: 'List your views',
  summary: 'The filters and columns of the list of sites that a signed-in person keeps by a name, on every device.',
  personal: true,
  scope: 'read',
  effect: 'read',
  list: 'views',
  input: z.strictObject({}),
  output: page('views', View),
  example: {},
  async handle(context) {
    const views = await ownViews(context)
    return { views, total: views.length, limit: null, next_cursor: null }
  },
})

export const save = workspaceOperation({
  name: 'views.save',
  http: 'POST /views',
  title: 'Save a view',
  summary: 'Keep filters and columns of the list of sites by a name, for yourself; a view of that name is replaced. At most 50.',
  personal: true,
  scope: 'write',
  effect: 'change',
  idempotent: true,
  input: z.strictObject({
    name: z.string().trim().min(1).max(60),
    query: Query.describe('The filters as a query of GET /fleet: q, tag, client, status, need, order. Empty: all sites.'),
    columns: z
      .array(Column)
      .max(Column.options.length)
      .refine((given) => new Set(given).size === given.length, 'Names a column twice.')
      .optional()
      .describe('What is shown of each site; as the browser shows it anyway if not given.'),
  }),
  output: View,
  example: { name: 'Shops that are down', query: 'tag=shop&need=down' },
  handle: (context, { name, query, columns = null }) => saveView(context, { name, query, columns }),
})

export const remove = workspaceOperation({
  name: 'views.remove',
  http: 'DELETE /views/{view_id}',
  title: 'Forget a view',
  summary: 'Let one of your own views go.',
  personal: true,
  scope: 'write',
  effect: 'destroy',
  input: z.strictObject({ view_id: ViewId }),
  output: View,
  example: { view_id: 'view_01k0000000000000000000000a' },
  handle: (context, { view_id }) => removeView(context, view_id),
})
