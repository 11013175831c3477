import { backupsKept, mostKept } from '../backups/kept.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { freshFactor, freshMinutes } from '../members/fresh.ts'
import { announceRevocation, announceWithin } from '../platform/signals.ts'
import { domainOf } from '../sites/address.ts'
import { isOwner } from '../workspaces/service.ts'
import { findWorkspace } from '../workspaces/store.ts'
import type { Context } from '../world.ts'
import type { Deletion } from './schema.ts'
import { bytesBeside, countHeld, holdWorkspace, listUnderWay, markDeleted, shutDoors } from './store.ts'

const mostSites = 10
const mostUnderWay = 20

/** What the workspace's backups, pictures and reports take. */
export async function storageOf(context: Context) {
  const kept = await backupsKept(context)
  return { ...kept, sites: await mostKept(context, mostSites), ...(await bytesBeside(context)) }
}

interface Wanted {
  name?: string | undefined
  dry_run: boolean
}

/** Nobody is let in from the moment this returns, on any node; what the workspace held goes in the background (`clear.ts`). */
export async function deleteWorkspace(context: Context, { name, dry_run }: Wanted): Promise<Deletion> {
  const plan = await planOf(context)
  if (dry_run) return { ...plan, dry_run }
  await mustBeOwner(context)
  if (name !== plan.name) throw wrongName(plan.name)
  mustBeFresh(context)
  if (plan.under_way.length > 0) throw busy(plan.under_way)
  await context.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    // Before the workspace is held, because whoever is just coming in holds his invitation and then waits for the workspace.
    await shutDoors(within)
    if (!(await holdWorkspace(within))) throw gone()
    const under_way = await namedUnderWay(within)
    if (under_way.length > 0) throw busy(under_way)
    await markDeleted(within, { at: context.now(), by: asker(context), name: plan.name, held: plan.held })
    // And what was made until then.
    await shutDoors(within)
    // Heard with the commit, should this process die behind it.
    await announceWithin(db, context.workspaceId)
  })
  await announceRevocation(context.db, context.workspaceId)
  return { ...plan, dry_run }
}

async function planOf(context: Context): Promise<Omit<Deletion, 'dry_run'>> {
  const { db, workspaceId } = context
  const known = await findWorkspace(db, workspaceId)
  if (!known) throw gone()
  const { backups, stored_bytes } = await backupsKept(context)
  const { sites, ...others } = await countHeld(context)
  const held = { sites, backups, stored_bytes, ...others }
  return { id: known.id, name: known.name, held, under_way: await namedUnderWay(context) }
}

const namedUnderWay = async (context: Context) =>
  (await listUnderWay(context, mostUnderWay)).map(({ id, type, url }) => ({ id, type, site: url && domainOf(url) }))

const gone = () => new Problem('not_found', 'There is no such workspace any more.')

async function mustBeOwner(context: Context): Promise<void> {
  if (await isOwner(context)) return
  throw new Problem('insufficient_scope', 'Nothing was deleted: only an owner deletes the workspace, in person.')
}

function mustBeFresh({ caller, now }: Context): void {
  if (caller.id === 'operator' || freshFactor(caller, now())) return
  throw new Problem(
    'confirmation_required',
    `Nothing was deleted: that takes an owner who showed a second factor in the last ${freshMinutes} minutes. Show it again and repeat; whoever has none sets one up in the dashboard first (Account).`,
  )
}

const wrongName = (name: string) =>
  new Problem('invalid_payload', 'Some fields are not valid.', {
    errors: [{ path: 'name', message: `Nothing was deleted: give the workspace’s name, “${name}”, letter by letter.` }],
  })

function busy(under_way: Deletion['under_way']): Problem {
  const named = under_way.slice(0, 5).map(({ id, type, site }) => `${type} ${id}${site === null ? '' : ` of ${site}`}`)
  const more = under_way.length > named.length ? ', and more' : ''
  return new Problem(
    'conflict',
    `Nothing was deleted, because work is under way: ${named.join(', ')}${more}. Cancel it or wait for its end.`,
    {
      retryable: false,
    },
  )
}
