// A WordPress without most of its bytes, made once and copied by every fleet that wants it.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { WORDPRESS_VERSION } from '../../demo/assets.ts'
import { run } from '../../demo/npm.ts'
import { removeBulk } from '../guest.ts'

export const lightWordPressFolder = (cache: string): string => join(cache, `wordpress-${WORDPRESS_VERSION}-light`)

/** It appears whole, and only once, whoever makes it at the same time. */
export async function ensureLightWordPress(cache: string, wordpress: string): Promise<void> {
  const folder = lightWordPressFolder(cache)
  if (existsSync(folder)) return
  await mkdir(cache, { recursive: true })
  const partial = await mkdtemp(join(cache, '.partial-'))
  try {
    await run('cp', ['-rT', '--reflink=auto', wordpress, join(partial, 'light')])
    await removeBulk(join(partial, 'light'))
    await rename(join(partial, 'light'), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error // Another process was first, and its copy is as good.
    })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
