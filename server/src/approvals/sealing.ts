import { createHmac, hkdfSync } from 'node:crypto'
import { canonical } from '../kernel/digest.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { open, seal } from '../platform/master-key.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Here } from '../world.ts'

type Input = Record<string, unknown>
type Keys = Pick<Here, 'db' | 'masterKey' | 'now' | 'workspaceId'>

const contextOf = (id: string) => `approval ${id}`

/** The input as the approval's row keeps it: nobody without the key reads or changes it, and it opens in no other row. */
export async function sealInput(here: Keys, id: string, input: Input): Promise<string> {
  const key = await workspaceKey(here, here.workspaceId)
  return seal(key, Buffer.from(JSON.stringify(input)), contextOf(id)).toString('base64')
}

/** Undoes `sealInput`. */
export async function openInput(here: Keys, { id, sealed_input }: { id: string; sealed_input: string }): Promise<Input> {
  const key = await workspaceKey(here, here.workspaceId)
  return JSON.parse(open(key, Buffer.from(sealed_input, 'base64'), contextOf(id)).toString('utf8'))
}

/** Tells one request from another; without the key nobody can try what was in it. */
export async function digestOfRequest(here: Keys, { name }: Pick<AnyOperation, 'name'>, input: Input): Promise<string> {
  const key = await workspaceKey(here, here.workspaceId)
  const mac = createHmac('sha256', Buffer.from(hkdfSync('sha256', key.bytes, '', 'digest of approvals', 32)))
  return mac.update(canonical([name, input])).digest('hex')
}
