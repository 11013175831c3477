import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { makeFolders } from './folders.ts'
import { Refusal } from './refusal.ts'

/** The key everything secret is sealed under: 32 bytes that never leave this process except into their file. */
export type MasterKey = {
  /** Names the key without telling it: 8 bytes, in hex. */
  id: string
  bytes: Uint8Array
}

/** The master key as this process knows it. Another process may rotate it: `renew` finds the one of this id and holds it from then on. */
export interface HeldMasterKey extends MasterKey {
  renew(id: string): void
  /** Keys of workspaces that were opened with it, and when their rows were last seen. */
  opened: Map<string, { key: MasterKey; seen: number }>
}

const VERSION = 1
const ID_BYTES = 8
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES + SALT_BYTES

/** Reads the key from its file (64 hex digits), making the file on the first start. Throws `Refusal` if others could read it. */
export function loadMasterKey(file: string): MasterKey {
  if (!fs.existsSync(file)) storeMasterKey(file, masterKeyOf(randomBytes(32)))
  return readMasterKey(file)
}

function readMasterKey(file: string): MasterKey {
  const { mode } = fs.statSync(file)
  if (mode & 0o077) throw new Refusal(`the master key ${file} is readable by other users; run: chmod 600 ${file}`)
  const text = fs.readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new Refusal(
      `the master key ${file} does not hold 64 hexadecimal digits: put it back as it was, or set SERVICE_MASTER_KEY_FILE to where it lies`,
    )
  return masterKeyOf(Buffer.from(text, 'hex'))
}

export function masterKeyOf(bytes: Uint8Array): MasterKey {
  return { bytes, id: Buffer.from(hkdfSync('sha256', bytes, '', 'key id', ID_BYTES)).toString('hex') }
}

/** Makes the next key and stores it durably beside the current one, under its own id; only `adoptMasterKey` puts it in force. */
export function stageMasterKey(file: string): MasterKey {
  const key = masterKeyOf(randomBytes(32))
  storeMasterKey(stagedFile(file, key.id), key)
  return key
}

/** Puts the staged key of this id in the place of the current one, which is gone then. Fine if that was done before; false if neither is there. */
export function adoptMasterKey(file: string, id: string): boolean {
  try {
    fs.renameSync(stagedFile(file, id), file)
    syncFolder(path.dirname(file))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return fs.existsSync(file) && readMasterKey(file).id === id
  }
}

/** Removes keys that were staged for a rotation that never was recorded. */
export function dropStagedKeys(file: string): void {
  const beginning = `${path.basename(file)}.`
  for (const name of fs.readdirSync(path.dirname(file)))
    if (name.startsWith(beginning) && /^[0-9a-f]{16}$/.test(name.slice(beginning.length))) fs.rmSync(path.join(path.dirname(file), name))
}

/** Holds this key; `renew` looks into its file, and beside it, where a rotation that is just ending has it. */
export function holdMasterKey(file: string, key: MasterKey): HeldMasterKey {
  return {
    ...key,
    opened: new Map(),
    renew(id) {
      // Twice: between the two looks the staged file may have moved to its place.
      for (const place of [file, stagedFile(file, id), file]) {
        if (!fs.existsSync(place)) continue
        const found = readMasterKey(place)
        if (found.id === id) return void Object.assign(this, found)
      }
      throw new Refusal(`the master key was replaced by ${id}, but ${file} does not hold it; copy it here from where it was rotated`)
    },
  }
}

const stagedFile = (file: string, id: string) => `${file}.${id}`

/** Names the master key a value was sealed under. */
export const sealedUnder = (sealed: Uint8Array) => Buffer.from(sealed).toString('hex', 1, 1 + ID_BYTES)

/**
 * Encrypts for one purpose: only `open` with the same context reads it, so a sealed value cannot be moved to another row.
 * Layout: version, key id 8, salt 16, ciphertext, tag 16. Key and nonce come from the salt, so no two messages share them.
 */
export function seal(key: MasterKey, plaintext: Uint8Array, context: string): Buffer {
  const header = Buffer.concat([Uint8Array.of(VERSION), Buffer.from(key.id, 'hex'), randomBytes(SALT_BYTES)])
  const { subkey, nonce } = derive(key, header, context)
  const cipher = createCipheriv('aes-256-gcm', subkey, nonce).setAAD(header)
  return Buffer.concat([header, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts what `seal` made. Throws when the key, the context or any byte is another one. */
export function open(key: MasterKey, sealed: Uint8Array, context: string): Buffer {
  const bytes = Buffer.from(sealed)
  if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw new Error('this is not a sealed value of a known version')
  const header = bytes.subarray(0, HEADER_BYTES)
  if (sealedUnder(header) !== key.id) throw new Error('the value was sealed with another master key')
  const { subkey, nonce } = derive(key, header, context)
  const decipher = createDecipheriv('aes-256-gcm', subkey, nonce).setAAD(header).setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()])
}

/** Keys as objects: of bytes Node makes an error first, because they are none (24.21), and that takes three times as long. */
function derive(key: MasterKey, header: Uint8Array, context: string): { subkey: KeyObject; nonce: Buffer } {
  const salt = header.subarray(1 + ID_BYTES)
  const bytes = Buffer.from(hkdfSync('sha256', createSecretKey(key.bytes), salt, `seal ${context}`, 32 + NONCE_BYTES))
  return { subkey: createSecretKey(bytes.subarray(0, 32)), nonce: bytes.subarray(32) }
}

/** The file appears complete and only once: of two processes that start together both end up with the same key. */
export function storeMasterKey(file: string, key: MasterKey): void {
  makeFolders(path.dirname(file))
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  const descriptor = fs.openSync(temporary, 'wx', 0o600)
  fs.writeSync(descriptor, `${Buffer.from(key.bytes).toString('hex')}\n`)
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
  linkUnlessThere(temporary, file)
  fs.rmSync(temporary)
  syncFolder(path.dirname(file))
}

function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r')
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
}

function linkUnlessThere(from: string, to: string): void {
  try {
    fs.linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
