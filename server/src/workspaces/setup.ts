import { hash, randomBytes } from 'node:crypto'
import { Problem } from '../kernel/problem.ts'
import { mustBeHardToGuess } from './guessable.ts'
import { hashPassword } from './password.ts'
import { makeOwner, type Operator } from './service.ts'
import { findWorkspace, hasOwner, holdsSetup, openSetup, takeTurn } from './store.ts'

/** How long a link is good for. */
export const setupMinutes = 60

const hashOf = (secret: string) => hash('sha256', secret, 'hex')

type Here = Pick<Operator, 'db' | 'now'>

/** The secret of a fresh one-time link while nobody owns the service; undefined as soon as somebody does. Older links are closed. */
export function offerSetup({ db, now }: Here): Promise<string | undefined> {
  return db.transaction().execute(async (db) => {
    await takeTurn(db)
    if (await hasOwner(db)) return undefined
    const secret = randomBytes(32).toString('base64url')
    await openSetup(db, hashOf(secret), new Date(now().getTime() + setupMinutes * 60_000))
    return secret
  })
}

export const setupIsOpen = ({ db, now }: Here, secret: string): Promise<boolean> => holdsSetup(db, hashOf(secret), now())

export interface FirstOwner {
  email: string
  password: string
  workspace: string
}

/** Makes the first owner, which closes the link, both or neither. Of several at once, and beside a command that makes one, one comes through. */
export async function finishSetup(operator: Operator, secret: string, owner: FirstOwner) {
  await mustBeHardToGuess(owner.password, owner.email)
  const passwordHash = await hashPassword(owner.password)
  return operator.db.transaction().execute(async (db) => {
    await takeTurn(db)
    if (!(await holdsSetup(db, hashOf(secret), operator.now())))
      throw new Problem('not_found', 'This link is closed: it was used, is older than an hour, or a newer one was printed.')
    if (await findWorkspace(db, owner.workspace))
      throw new Problem('conflict', 'There is a workspace of this name already. Take another one, or make its owner on the command line.')
    return makeOwner({ ...operator, db }, owner.email, owner.workspace, passwordHash)
  })
}
