import type { Caller } from '../src/kernel/context.ts'
import { newId } from '../src/kernel/ids.ts'
import type { Role } from '../src/workspaces/schema.ts'
import { insertMember, insertUser } from '../src/workspaces/store.ts'
import type { TestWorld } from './world.ts'

/** Somebody with this role in a workspace, as who is signed in. */
export async function asMember(here: TestWorld, role: Role = 'owner', workspaceId = here.workspaceId): Promise<Caller> {
  const id = newId('user', here.world.now())
  await insertUser(here.world.db, { id, email: `${id}@example.com`, passwordHash: 'none' })
  await insertMember(here.world.db, { workspaceId, userId: id, role })
  const scopes: Caller['scopes'] = new Set(role === 'member' ? ['read', 'write'] : ['read', 'write', 'manage'])
  return here.caller({ id, name: `${role} ${id.slice(-4)}`, workspaceId, scopes })
}
