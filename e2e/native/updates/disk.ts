// A disk that is too small: a tmpfs over one folder of a site, with what was in it.
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../../demo/npm.ts'

/** Gives `folder` a disk of so many KiB more than it needs; the result takes it away again, with what was written meanwhile. */
export async function onSmallDisk(folder: string, spareKib: number): Promise<() => Promise<void>> {
  const aside = await mkdtemp(join(tmpdir(), 'svc-disk-'))
  await run('cp', ['-a', `${folder}/.`, aside])
  const used = Number((await run('du', ['-sk', '--apparent-size', aside])).split('\t')[0])
  // Every file takes whole pages of 4 KiB.
  const files = (await run('find', [aside])).trim().split('\n').length
  await run('mount', ['-t', 'tmpfs', '-o', `size=${used + 4 * files + spareKib}k,mode=755`, 'tmpfs', folder])
  await run('cp', ['-a', `${aside}/.`, folder])
  return async () => {
    // Visitors go on: what was written takes the place of what was there at one blow, never file by file.
    await run('cp', ['-a', '--no-target-directory', folder, `${folder}.after`])
    await run('umount', ['--lazy', folder])
    await rename(folder, `${folder}.before`)
    await rename(`${folder}.after`, folder)
    for (const each of [aside, `${folder}.before`]) await rm(each, { recursive: true, maxRetries: 5 })
  }
}
