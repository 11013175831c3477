import type { Kysely } from 'kysely'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { knownKeyId } from '../platform/installation.ts'
import type { HeldMasterKey } from '../platform/master-key.ts'
import { newSealedKey } from './keys.ts'
import { hashPassword, newPassword } from './password.ts'
import type { Workspace } from './schema.ts'
import { closeSetup, findUser, findWorkspace, insertMember, insertUser, insertWorkspace, setWorkspaceName, takeTurn } from './store.ts'

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
export function createOwner(operator: Operator, email: string, workspaceName: string) {
  return operator.db.transaction().execute((db) => makeOwner({ ...operator, db }, email, workspaceName, newPassword()))
}

/** The same inside the caller's transaction; whoever has the link for the first owner comes too late then; `password` is for a person who is new. */
export async function makeOwner(operator: Operator, email: string, workspaceName: string, password: string) {
  const { db } = operator
  await takeTurn(db)
  await closeSetup(db)
  const workspace = (await findWorkspace(db, workspaceName)) ?? (await createWorkspace(operator, workspaceName))
  const known = await findUser(db, email)
  const user = known ?? { id: newId('user', operator.now()), email }
  if (!known) await insertUser(db, { ...user, passwordHash: await hashPassword(password) })
  await insertMember(db, { workspaceId: workspace.id, userId: user.id, role: 'owner' })
  return { email: user.email, workspace: workspace.name, workspace_id: workspace.id, user_id: user.id, password: known ? null : password }
}

/** Names are unique in any case. */
export async function renameWorkspace(
  { db, workspaceId: id }: { db: Kysely<unknown>; workspaceId: string },
  name: string,
): Promise<Workspace> {
  await takeTurn(db)
  const other = await findWorkspace(db, name)
  if (other && other.id !== id) throw new Problem('conflict', 'This name is taken. Choose another one.', { retryable: false })
  await setWorkspaceName(db, id, name)
  return { id, name }
}
