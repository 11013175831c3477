import fs from 'node:fs'
import path from 'node:path'
import { Refusal } from './refusal.ts'

/** The owners that a root process gives to its own files, depending on what the machine allows. */
const ROOT = 0
const NOBODY = 65534

/** Makes a folder of PostgreSQL's and all in it belong to the uid it will run as. Throws `Refusal` when it is another user's. */
export function ensureOwner(folder: string, wanted = process.getuid?.() ?? ROOT): void {
  const { uid } = fs.statSync(folder)
  if (uid === wanted) return
  const ours = process.getuid?.() === ROOT && (uid === ROOT || uid === NOBODY)
  if (!ours) throw new Refusal(`the folder ${folder} belongs to another user (uid ${uid}): run as that user`)
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) fs.lchownSync(path.join(folder, name), wanted, wanted)
  // Last: until then a killed start would begin again.
  fs.chownSync(folder, wanted, wanted)
}
