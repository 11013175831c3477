import type { Sees } from '../src/kernel/context.ts'
import { newId } from '../src/kernel/ids.ts'
import { joinWorkspace } from '../src/members/store.ts'
import { hashPassword } from '../src/workspaces/password.ts'
import type { Role } from '../src/workspaces/schema.ts'
import { createWorkspace } from '../src/workspaces/service.ts'
import { insertMember, insertUser } from '../src/workspaces/store.ts'
import type { RestAnswer, TestWorld } from './world.ts'

export const goodPassword = 'correct horse battery'
/** At next to no cost: the usual one is the product's, and tried where somebody chooses a password. */
const quick = { memory: 64, passes: 1, parallelism: 1 }
let hashed: Promise<string> | undefined

/** A person with `goodPassword`, a member of the workspace. */
export async function aPerson(
  here: TestWorld,
  email: string,
  role: Role,
  { workspaceId = here.workspaceId, sees = null }: { workspaceId?: string; sees?: Sees | null } = {},
): Promise<string> {
  hashed ??= hashPassword(goodPassword, quick)
  const id = newId('user', here.world.now())
  await insertUser(here.world.db, { id, email, passwordHash: await hashed })
  await joinWorkspace(here.world.db, { workspaceId, userId: id, role, sees })
  return id
}

/** Another workspace of the same person. */
export async function alsoIn(here: TestWorld, userId: string, name: string): Promise<string> {
  const { id } = await createWorkspace(here.world, name)
  await insertMember(here.world.db, { workspaceId: id, userId, role: 'owner' })
  return id
}

/** A browser: it keeps cookies, names its origin, and knows the page's proof once it has asked for the session. */
export interface Browser {
  cookies: Map<string, string>
  csrf: string
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RestAnswer>
  signIn(email: string, password?: string): Promise<RestAnswer>
}

export function aBrowser(here: TestWorld): Browser {
  const browser: Browser = {
    cookies: new Map(),
    csrf: '',
    async send(method, path, body, headers = {}) {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const writes = method !== 'GET'
      const answer = await here.rest(method, path, {
        ...(body !== undefined && { body }),
        headers: {
          ...(cookie !== '' && { cookie }),
          ...(writes && { origin: here.url, 'sec-fetch-site': 'same-origin', 'svc-csrf': browser.csrf }),
          ...headers,
        },
      })
      for (const line of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
        if (value === '') browser.cookies.delete(name)
        else browser.cookies.set(name, value)
      }
      const { csrf } = answer.json as { csrf?: string }
      if (csrf !== undefined) browser.csrf = csrf
      return answer
    },
    signIn: (email, password = goodPassword) => browser.send('POST', '/session', { email, password }),
  }
  return browser
}
