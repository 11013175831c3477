import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { holdMember } from '../members/store.ts'
import type { Context } from '../world.ts'
import type { View } from './schema.ts'
import { deleteView, listViews, upsertView } from './store.ts'

const mostViews = 50

/** Of whoever asks: nobody sees those of somebody else. */
export const ownViews = (context: Context): Promise<View[]> => listViews(context, context.caller.id)

/** Keeps filters and columns by a name; one that has that name already is replaced. */
export async function saveView(context: Context, wanted: Omit<View, 'id' | 'created_at' | 'updated_at'>): Promise<View> {
  const person = context.caller.id
  const { name } = wanted
  if (!(await holdMember(context, person))) throw new Problem('not_found', 'There is no such member of this workspace.')
  const views = await listViews(context, person)
  if (views.length >= mostViews && !views.some((view) => view.name === name))
    throw new Problem('conflict', `You have ${mostViews} views already, and more there may not be. Forget one first.`, { retryable: false })
  await upsertView(context, person, { id: newId('view', context.now()), ...wanted })
  const saved = (await listViews(context, person)).find((view) => view.name === name)
  if (!saved) throw new Problem('internal', 'A view that was saved is not there.')
  return saved
}

export async function removeView(context: Context, id: string): Promise<View> {
  const removed = await deleteView(context, context.caller.id, id)
  if (!removed) throw new Problem('not_found', 'You have no such view in this workspace.')
  return removed
}
