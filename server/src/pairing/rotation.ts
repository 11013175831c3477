import type { SiteConnection } from '../connector/ask.ts'
import { call } from '../connector/call.ts'
import { createKeyPair, importSeed } from '../connector/keys.ts'
import { SiteError } from '../connector/site-error.ts'
import { open, seal } from '../platform/master-key.ts'
import { findNextKey, keepNextKey, type NextKey, promoteKey } from '../sites/keys-store.ts'
import type { Site } from '../sites/schema.ts'
import { connectionOf, sealContext, unreached } from '../sites/talk.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Context } from '../world.ts'

/**
 * Gives the service a new key for one site, in phases that an interruption at any point leaves working: the next key is stored,
 * told to the site under the old one, used once, and only then the current one. Called again it goes on where it stopped.
 */
export async function rotateKeys(context: Context, site: Site) {
  const current = await connectionOf(context, site)
  const next = (await findNextKey(context, site.id)) ?? (await storeNext(context, site.id, nextKeyid(current.keyid)))
  const key = await workspaceKey(context, context.workspaceId)
  const seed = open(key, Buffer.from(next.sealed, 'base64'), sealContext(site.id)).toString('utf8')
  const renewed: SiteConnection = { ...current, keyid: next.keyid, servicePrivateKey: importSeed(seed) }
  try {
    if (!(await isUsable(context, renewed))) {
      await call(context.wire, current, { verb: 'keys.rotate', params: { keyid: next.keyid, public: next.public } }, { probe: true })
      await call(context.wire, renewed, { verb: 'ping', params: {} })
    }
  } catch (error) {
    throw await unreached(context, site, error)
  }
  await promoteKey(context, site.id, next)
  return { id: site.id, keyid: next.keyid }
}

const nextKeyid = (keyid: string) => `k${Number(keyid.slice(1)) + 1}`

/** True when an interrupted rotation had got so far that the site takes the next key. */
async function isUsable(context: Context, renewed: SiteConnection): Promise<boolean> {
  return call(context.wire, renewed, { verb: 'ping', params: {} }, { retries: 0 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof SiteError && error.reason === 'refused:key') return false
      throw error
    },
  )
}

async function storeNext(context: Context, id: string, keyid: string): Promise<NextKey> {
  const pair = createKeyPair()
  const key = await workspaceKey(context, context.workspaceId)
  const sealed = seal(key, Buffer.from(pair.seed), sealContext(id)).toString('base64')
  return keepNextKey(context, id, { keyid, public: pair.public, sealed })
}
