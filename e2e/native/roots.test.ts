// Real sites whose files do not all lie in WordPress's folder: backed up, the archive compared, destroyed wherever they lie, restored, taken back.
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { run } from '../../demo/npm.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse } from '../house.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { arrange, everyFileOf, type Layout, placeOf, sh } from './layouts.ts'
import { connectAll, type Managed } from './managed.ts'
import { differing, warmUp } from './site-state.ts'

interface Case {
  layout: Layout
  /** Settings of PHP. */
  php?: Record<string, string>
  /** The roots beyond WordPress's own: id, the part that tells where a link stands left out, and place. */
  roots: [id: string, place: string][]
  /** What the record says leads out. */
  outside: string[]
  /** Folders and files of the archive and where on the site the same lies. */
  archive: [inArchive: string, onSite: string][]
  /** What happens to the site; each is restored whole. */
  damages: string[]
  /** What a restore leaves as the damage made it. */
  stays: string[]
}

const CASES: Case[] = [
  {
    layout: 'shared',
    roots: [
      ['link-2019', 'archive/2019'],
      ['link-own', 'shared/plugins/own'],
      ['link-robots-txt', 'shared/robots.txt'],
      ['uploads', 'shared/uploads'],
    ],
    outside: ['deep/er/out (it leads out of the site)'],
    archive: [
      ['uploads/uploads', 'shared/uploads'],
      ['files/wp-includes', 'www/wp-includes'],
    ],
    damages: [
      'rm -r shared/uploads/2026 archive/2019/old.jpg shared/robots.txt; echo x > shared/uploads/2025/01/1.jpg; echo new > shared/uploads/new.txt',
      'rm -r shared archive',
      'rm www/wp-content/uploads www/robots.txt shared/uploads/2025/01/2.jpg',
    ],
    stays: [],
  },
  {
    layout: 'setting',
    roots: [['uploads', 'media']],
    outside: [],
    archive: [['uploads/media', 'media']],
    damages: ['rm -r media/2026; echo x > media/2025/01/1.jpg', 'rm -r media'],
    stays: [],
  },
  {
    layout: 'core',
    php: { open_basedir: '/' }, // So PHP sees what is mounted where.
    roots: [['docroot', 'www']],
    outside: [],
    archive: [
      ['docroot/assets', 'www/assets'],
      ['docroot/google123.html', 'www/google123.html'],
      ['files/wp-includes', 'www/core/wp-includes'],
    ],
    damages: [
      'rm -r www/robots.txt www/google123.html www/assets www/core/wp-content/uploads; echo x > www/new.txt; echo y > www/other/theirs.txt',
    ],
    stays: ['www/other/theirs.txt'],
  },
  {
    layout: 'bedrock',
    roots: [
      ['docroot', 'www'],
      ['project', ''],
    ],
    outside: [],
    archive: [
      ['project/config', 'config'],
      ['project/.env', '.env'],
      ['content/uploads', 'www/app/uploads'],
    ],
    damages: [
      'rm -r config/environments vendor/acme www/app/uploads; echo "{ }" > composer.json; echo z >> .env; echo y > private/mail.txt',
    ],
    stays: ['.env', 'private/mail.txt'],
  },
]

let house: House
let fleet: Fleet
let all: Managed[]

before(async () => {
  house = await openHouse()
  fleet = await startFleet(
    CASES.map(({ php = {} }) => ({ wp: '7.1.1', db: 'mariadb', php, confined: true }) as const),
    { plugins: [CONNECTOR] },
  )
  for (const [n, { layout }] of CASES.entries()) fleet.sites[n] = await arrange(fleet.sites[n] ?? assert.fail(), layout)
  all = await connectAll(house, fleet)
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

async function finished<Result>(path: string, body: object): Promise<Result> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', path, body)
  const { status, result, error } = await house.finished<Result>(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  return result
}

const backUp = ({ site }: Managed) => finished<{ backup_id: string }>(`/sites/${site.id}/backups`, { type: 'files' })

/** What is told of the newest backup. */
async function recordOf({ site }: Managed) {
  type Row = { roots: { id: string; path: string }[]; outside_count: number; omitted: { outside: string[] } | null }
  const [row] = await house.ask<[Row]>('GET', `/sites/${site.id}/backups`)
  return row
}

for (const [n, { layout, roots, outside, archive, damages, stays }] of CASES.entries()) {
  test(`${layout}: all of the site is in the backup, and its record says what is not`, async () => {
    const one = all[n] ?? assert.fail()
    await warmUp(one)
    const place = placeOf(one.native)
    const { backup_id } = await backUp(one)
    const row = await recordOf(one)
    const told = row.roots.map(({ id, path }) => [id.replace(/-[0-9a-f]{8}$/, ''), path]).sort()
    assert.deepEqual(
      told,
      roots.map(([id, at]) => [id, join(place, at).replace(/\/$/, '')]),
    )
    assert.deepEqual([row.outside_count, row.omitted?.outside ?? []], [outside.length, outside])
    const unpacked = join(house.dir, `unpacked-${layout}`)
    await mkdir(unpacked)
    const answer = await house.send('GET', `/sites/${one.site.id}/backups/${backup_id}/download`)
    await writeFile(`${unpacked}.tar`, Buffer.from(await answer.arrayBuffer()))
    await run('tar', ['-x', '-f', `${unpacked}.tar`, '-C', unpacked])
    for (const [inArchive, onSite] of archive) await run('diff', ['-r', '--no-dereference', join(unpacked, inArchive), join(place, onSite)])
    await assert.rejects(readFile(join(unpacked, 'project/private/mail.txt')), { code: 'ENOENT' })
    await rm(unpacked, { recursive: true })
  })

  for (const damage of damages)
    test(`${layout}: what was destroyed comes back byte for byte where it was, and an undo takes it back: ${damage.slice(0, 60)}`, async () => {
      const one = all[n] ?? assert.fail()
      await warmUp(one)
      const was = await everyFileOf(one.native)
      const { backup_id } = await backUp(one)
      await sh(one.native, damage)
      const hurt = await everyFileOf(one.native)
      assert.notDeepEqual(differing(was, hurt), [])
      const body = { type: 'files', safety_backup: false }
      const path = `/sites/${one.site.id}/backups/${backup_id}/restore`
      const { plan } = await house.ask<{ plan: { obstacle: string | null } }>('POST', path, { ...body, dry_run: true })
      assert.equal(plan.obstacle, null)
      assert.deepEqual(differing(hurt, await everyFileOf(one.native)), [])
      const whole = async () =>
        differing(was, await everyFileOf(one.native)).filter((line) => !stays.some((name) => line.startsWith(`${name}:`)))
      await finished(path, body)
      assert.deepEqual(await whole(), [])
      assert.deepEqual(
        stays.filter((name) => (hurt[name] ?? '') === (was[name] ?? '')),
        [],
      )
      await finished(`/sites/${one.site.id}/restores/undo`, {})
      assert.deepEqual(differing(hurt, await everyFileOf(one.native)), [])
      await finished(path, body)
      assert.deepEqual(await whole(), [])
    })
}

test('storage on another disk is exchanged there, and nothing of ours stays', async () => {
  const one = all[1] ?? assert.fail()
  const place = placeOf(one.native)
  const media = join(place, 'media')
  await sh(one.native, 'rm -r media; mkdir media')
  await run('mount', ['-t', 'tmpfs', 'tmpfs', media])
  try {
    await sh(one.native, 'mkdir -p media/2026; echo one > media/2026/1.jpg; echo two > media/2026/2.jpg')
    const was = await everyFileOf(one.native)
    const { backup_id } = await backUp(one)
    await sh(one.native, 'rm -r media/2026; echo new > media/new.jpg')
    const hurt = await everyFileOf(one.native)
    await finished(`/sites/${one.site.id}/backups/${backup_id}/restore`, { type: 'files', safety_backup: false })
    assert.deepEqual(differing(was, await everyFileOf(one.native)), [])
    assert.match(await run('ls', ['-A', media]), /\.svc-connector-/)
    await finished(`/sites/${one.site.id}/restores/undo`, {})
    assert.deepEqual(differing(hurt, await everyFileOf(one.native)), [])
    assert.doesNotMatch(await run('ls', ['-A', media]), /\.svc-connector-/)
  } finally {
    await run('umount', [media])
  }
})

test('disks that are mounted inside of a folder of the site are exchanged where they are, and what is mounted there stays', async () => {
  const one = all[2] ?? assert.fail()
  const content = join(one.native.dir, 'wp-content')
  const mounted = ['cache', 'bound', 'later'].map((name) => join(content, name))
  const [cache = '', bound = '', later = ''] = mounted
  await sh(one.native, 'mkdir -p elsewhere www/core/wp-content/cache www/core/wp-content/bound')
  await run('mount', ['-t', 'tmpfs', 'tmpfs', cache])
  await run('mount', ['--bind', join(placeOf(one.native), 'elsewhere'), bound])
  try {
    for (const name of ['cache', 'bound'])
      await sh(
        one.native,
        `cd www/core/wp-content/${name}; mkdir -p a/b; echo 1 >a/1; echo 2 >a/b/2; echo f >file; touch -d @1500000000 a/1`,
      )
    const was = await everyFileOf(one.native)
    const { backup_id } = await backUp(one)
    for (const name of ['cache', 'bound'])
      await sh(
        one.native,
        `cd www/core/wp-content/${name}; echo 3 >a/1; rm -r a/b; mkdir -p new/deep file.d; rm file; mkdir file; echo x >file/x; echo n >new/n`,
      )
    await mkdir(later)
    await run('mount', ['-t', 'tmpfs', 'tmpfs', later])
    await sh(one.native, 'mkdir www/core/wp-content/later/x; echo x >www/core/wp-content/later/x/x')
    const hurt = await everyFileOf(one.native)
    const path = `/sites/${one.site.id}/backups/${backup_id}/restore`
    const whole = async () => differing({ ...was, 'www/core/wp-content/later': 'folder 1777' }, await everyFileOf(one.native))
    await finished(path, { type: 'files', safety_backup: false })
    assert.deepEqual(await whole(), [])
    await finished(`/sites/${one.site.id}/restores/undo`, {})
    assert.deepEqual(differing(hurt, await everyFileOf(one.native)), [])
    await finished(path, { type: 'files', safety_backup: false })
    assert.deepEqual(await whole(), [])
    await finished(`/sites/${one.site.id}/restores/undo`, {})
    for (const folder of mounted) assert.doesNotMatch(await run('ls', ['-A', folder]), /svc-connector/)
  } finally {
    for (const folder of mounted) await run('umount', [folder]).catch(() => undefined)
  }
})
