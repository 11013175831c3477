import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Refusal } from './refusal.ts'

/** The key everything secret is sealed under: 32 bytes that never leave this process except into their file. */
export type MasterKey = {
  /** Names the key without telling it: 8 bytes, in hex. */
  id: string
  bytes: Uint8Array
}

const VERSION = 1
const ID_BYTES = 8
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES + SALT_BYTES

/** Reads the key from its file (64 hex digits), making the file on the first start. Throws `Refusal` if others could read it. */
export function loadMasterKey(file: string): MasterKey {
  if (!fs.existsSync(file)) createFile(file)
  const { mode } = fs.statSync(file)
  if (mode & 0o077) throw new Refusal(`the master key ${file} is readable by other users; run: chmod 600 ${file}`)
  const text = fs.readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new Refusal(`the master key ${file} does not hold 64 hexadecimal digits`)
  return masterKeyOf(Buffer.from(text, 'hex'))
}

export function masterKeyOf(bytes: Uint8Array): MasterKey {
  return { bytes, id: Buffer.from(hkdfSync('sha256', bytes, '', 'key id', ID_BYTES)).toString('hex') }
}

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
  if (header.toString('hex', 1, 1 + ID_BYTES) !== key.id) throw new Error('the value was sealed with another master key')
  const { subkey, nonce } = derive(key, header, context)
  const decipher = createDecipheriv('aes-256-gcm', subkey, nonce).setAAD(header).setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()])
}

function derive(key: MasterKey, header: Uint8Array, context: string): { subkey: Buffer; nonce: Buffer } {
  const salt = header.subarray(1 + ID_BYTES)
  const bytes = Buffer.from(hkdfSync('sha256', key.bytes, salt, `seal ${context}`, 32 + NONCE_BYTES))
  return { subkey: bytes.subarray(0, 32), nonce: bytes.subarray(32) }
}

/** The file appears complete and only once: of two processes that start together both end up with the same key. */
function createFile(file: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  const descriptor = fs.openSync(temporary, 'wx', 0o600)
  fs.writeSync(descriptor, `${randomBytes(32).toString('hex')}\n`)
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
  linkUnlessThere(temporary, file)
  fs.rmSync(temporary)
  const folder = fs.openSync(path.dirname(file), 'r')
  fs.fsyncSync(folder)
  fs.closeSync(folder)
}

function linkUnlessThere(from: string, to: string): void {
  try {
    fs.linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
