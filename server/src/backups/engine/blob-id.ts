import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** The two keys of one workspace's backups, both derived from its one 32-byte workspace key. */
export type WorkspaceKeys = { workspace: string; idKey: KeyObject; dataKey: KeyObject }

/** Derives the id key and the encryption key. The workspace's name is mixed in, so equal keys of two workspaces still differ. */
export function deriveKeys(workspace: string, workspaceKey: Uint8Array): WorkspaceKeys {
  if (workspaceKey.length !== 32) throw new TypeError(`A workspace key has 32 bytes, not ${workspaceKey.length}.`)
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', workspaceKey, '', `svc-backup-1/${purpose}/${workspace}`, 32)))
  return { workspace, idKey: derive('blob-id'), dataKey: derive('data') }
}

/** The name of a blob: base64url of HMAC-SHA256(id key, plaintext), 43 characters. Equal content has one id inside a workspace only. */
export function blobId(keys: WorkspaceKeys, plain: Uint8Array): string {
  return createHmac('sha256', keys.idKey).update(plain).digest('base64url')
}
