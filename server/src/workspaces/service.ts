import type { Kysely } from 'kysely'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { knownKeyId } from '../platform/installation.ts'
import type { HeldMasterKey } from '../platform/master-key.ts'
import type { Context } from '../world.ts'
import { newSealedKey } from './keys.ts'
import { hashPassword, newPassword } from './password.ts'
import type { Workspace } from './schema.ts'
import {
  closeSetup,
  countOwned,
  findRole,
  findUser,
  findWorkspace,
  insertMember,
  insertUser,
  insertWorkspace,
  setWorkspaceName,
  takeTurn,
} from './store.ts'

/** Of so many workspaces somebody is an owner at most, who makes them without the operator. */
const mostOwned = 50

/** Who works on the installation itself, before there is a caller. */
export interface Operator {
  db: Kysely<unknown>
  masterKey: HeldMasterKey
  now(): Date
}

/** The workspace of that id or name; throws `not_found`. */
export async function getWorkspace({ db }: Pick<Operator, 'db'>, named: string): Promise<Workspace> {
  const workspace = await findWorkspace(db, named)
  if (!workspace)
    throw new Problem('not_found', `There is no workspace "${named}". Make one with: admin owner create --email E --workspace NAME`)
  return workspace
}

/** A new workspace with a key of its own; names are unique in any case. */
export async function createWorkspace({ db, masterKey, now }: Operator, name: string): Promise<Workspace> {
  if (await findWorkspace(db, name)) throw new Problem('conflict', `There is a workspace "${name}" already.`, { retryable: false })
  const id = newId('ws', now())
  const insert = () => insertWorkspace(db, { id, name, sealedKey: newSealedKey(masterKey, id), masterKeyId: masterKey.id })
  if (await insert()) return { id, name }
  // The master key was rotated since this process read it.
  masterKey.renew((await knownKeyId(db)) ?? '')
  if (!(await insert())) throw new Problem('conflict', 'The master key is being replaced right now; try again.')
  return { id, name }
}

/** Makes the person an owner of the workspace, both new where they do not exist; a new person gets a generated password. */
export async function createOwner(operator: Operator, email: string, workspaceName: string) {
  const password = newPassword()
  const passwordHash = await hashPassword(password)
  const { isNew, ...owner } = await operator.db
    .transaction()
    .execute((db) => makeOwner({ ...operator, db }, email, workspaceName, passwordHash))
  return { ...owner, password: isNew ? password : null }
}

/**
 * The same inside the caller's transaction; whoever has the link for the first owner comes too late then. `passwordHash` is for a
 * person who is new, and made before: others wait for this transaction, each with a connection of its own.
 */
export async function makeOwner(operator: Operator, email: string, workspaceName: string, passwordHash: string) {
  const { db } = operator
  await takeTurn(db)
  await closeSetup(db)
  const workspace = (await findWorkspace(db, workspaceName)) ?? (await createWorkspace(operator, workspaceName))
  const known = await findUser(db, email)
  const user = known ?? { id: newId('user', operator.now()), email }
  if (!known) await insertUser(db, { ...user, passwordHash })
  await insertMember(db, { workspaceId: workspace.id, userId: user.id, role: 'owner' })
  return { email: user.email, workspace: workspace.name, workspace_id: workspace.id, user_id: user.id, isNew: !known }
}

/** Whether an owner of the workspace asks, in person. The operator of the machine counts as one: they could make themselves an owner. */
export const isOwner = async (context: Context): Promise<boolean> =>
  context.caller.id === 'operator' || (await findRole(context, context.caller.id)) === 'owner'

/** A further workspace of an owner who asks for it in person: empty, and with nobody else in it. What is recorded of it stands in both. */
export async function makeFurther(context: Context, name: string): Promise<Workspace> {
  const { db, caller } = context
  await takeTurn(db)
  await mayMakeFurther(context)
  if (await findWorkspace(db, name)) throw taken()
  const made = await createWorkspace(context, name)
  await insertMember(db, { workspaceId: made.id, userId: caller.id, role: 'owner' })
  await noteMade(context, made.id)
  return made
}

async function mayMakeFurther(context: Context): Promise<void> {
  const { db, caller, config } = context
  const refused = (why: string) => new Problem('insufficient_scope', `Nothing was made: ${why}`)
  if (config.newWorkspaces === 'operator')
    throw refused('here whoever runs the service makes workspaces. Ask for one; the command is: admin owner create')
  if (!(await isOwner(context))) throw refused('only an owner of this workspace makes a further one, in person.')
  if ((await countOwned(db, caller.id)) >= mostOwned)
    throw new Problem(
      'conflict',
      `Nothing was made: you are an owner of ${mostOwned} workspaces, and that is as many as one person makes. Delete one, or ask whoever runs the service.`,
      { retryable: false },
    )
}

/** The operator is told, because no recovery kit has its key yet. */
async function noteMade({ db, caller, face, requestId, audit, log }: Context, id: string): Promise<void> {
  const by = { caller_type: caller.type, caller_id: caller.id, face, request_id: requestId }
  await audit({ ...by, workspace_id: id, operation: 'workspaces.create', outcome: 'ok', site_id: null }, db)
  log.info({ workspace_id: id, user_id: caller.id }, 'an owner made a further workspace: export a new recovery kit, which has its key')
}

const taken = () => {
  const message = 'This name is taken. Choose another one.'
  return new Problem('conflict', message, { retryable: false, errors: [{ path: 'name', message }] })
}

/** Names are unique in any case. */
export async function renameWorkspace(
  { db, workspaceId: id }: { db: Kysely<unknown>; workspaceId: string },
  name: string,
): Promise<Workspace> {
  await takeTurn(db)
  const other = await findWorkspace(db, name)
  if (other && other.id !== id) throw taken()
  await setWorkspaceName(db, id, name)
  return { id, name }
}
