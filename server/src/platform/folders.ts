import fs from 'node:fs'
import path from 'node:path'
import { Refusal } from './refusal.ts'

/**
 * Makes a folder and those above it, for nobody else to read, and answers the topmost that was missing. One after the other: where the
 * kernel makes no folders, as in /proc, Node's own way tries forever.
 */
export function makeFolders(folder: string): string | undefined {
  if (fs.existsSync(folder)) return undefined
  const above = makeFolders(path.dirname(folder))
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return above ?? folder
}

/** Makes the folder that a setting leads to where it is missing. Throws `Refusal`, with the setting, where nothing can be written into it. */
export function prepareFolder(folder: string, { setting, what }: { setting: string; what: string }, use = () => {}): void {
  try {
    makeFolders(folder)
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK)
    use()
  } catch (error) {
    throw new Refusal(
      `${setting}: ${what} ${folder} cannot be used: ${error instanceof Error ? error.message : String(error)}. Make it one that this user can write into, or set another`,
    )
  }
}
