// A disk that is too small: a tmpfs over one folder of a site, with what was in it.
import { mkdtemp, rm } from 'node:fs/promises'
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
    await run('cp', ['-a', '--no-target-directory', folder, `${aside}.after`])
    await run('umount', ['--lazy', folder])
    await run('find', [folder, '-mindepth', '1', '-delete'])
    await run('cp', ['-a', `${aside}.after/.`, folder])
    for (const each of [aside, `${aside}.after`]) await rm(each, { recursive: true })
  }
}
