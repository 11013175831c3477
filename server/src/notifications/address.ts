// Where a channel leads is secret: who knows the URL of a webhook may write there.
import { open, seal } from '../platform/master-key.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Here } from '../world.ts'
import type { Address } from './schema.ts'

type Keeper = Pick<Here, 'db' | 'masterKey' | 'now' | 'workspaceId'>
const context = (channelId: string) => `address of ${channelId}`

export async function sealAddress(keeper: Keeper, channelId: string, address: Address): Promise<string> {
  const key = await workspaceKey(keeper, keeper.workspaceId)
  return seal(key, Buffer.from(JSON.stringify(address)), context(channelId)).toString('base64')
}

export async function addressOf(keeper: Keeper, channelId: string, sealed: string): Promise<Address> {
  const key = await workspaceKey(keeper, keeper.workspaceId)
  return JSON.parse(open(key, Buffer.from(sealed, 'base64'), context(channelId)).toString('utf8'))
}
