// Files outside of WordPress's own folders: what a backup says of them, and where a restore puts them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FakeState } from '../../test/fake-state.ts'
import { putFile } from '../../test/fake-state.ts'
import { pictureOf } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

type Plan = { files: Record<string, number>; kept: string[]; warnings: string[] }
type Record_ = Record<string, unknown> & { omitted: Record<string, string[]> | null }

const UPLOADS = { id: 'uploads', path: '/srv/shared', only: ['media'], at: 'wp-content/uploads', writable: true }
const roots = [{ id: 'abspath', path: '/srv/www', at: '' }, UPLOADS]
const TARGET = { bytes: Buffer.alloc(0), mode: 0o777, mtime: 0, ctime: 0, inode: 7, target: '../../shared/media' }

describe('files outside of WordPress’s own folders', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  /** A site whose uploads are a link to storage. */
  const aSite = async (arrange: (state: FakeState) => void = () => undefined) => {
    const site = await here.site()
    const { state } = site.fake
    state.roots = structuredClone(roots)
    for (const path of state.files.keys()) if (path.startsWith('wp-content/uploads/')) state.files.delete(path)
    state.files.set('wp-content/uploads', { ...TARGET })
    for (const year of [2025, 2026]) putFile(state, `uploads:media/${year}/a.jpg`, `picture of ${year}`)
    arrange(state)
    return { id: site.id, state, backup_id: await backUp(site.id) }
  }
  const backUp = async (id: string) => {
    const { job_id, backup_id } = (await here.call('backups.create', { site_id: id, type: 'files' })) as Record<string, string>
    const { status, error } = (await here.job(String(job_id))) as { status: string; error: object }
    assert.equal(status, 'completed', JSON.stringify(error))
    return String(backup_id)
  }
  const recordOf = async (id: string) =>
    ((await here.call('backups.list', { site_id: id, limit: 1 })) as unknown as { backups: Record_[] }).backups[0] as Record_
  const planned = async (id: string, backup_id: string, more: object = {}) => {
    const dry = { site_id: id, backup_id, dry_run: true, safety_backup: false, ...more }
    return (await here.call('restores.create', dry))['plan'] as unknown as Plan
  }
  const restored = async (id: string, backup_id: string, more: object = {}) => {
    const { job_id } = await here.call('restores.create', { site_id: id, backup_id, safety_backup: false, ...more })
    const { status, error, result } = (await here.job(String(job_id))) as { status: string; error: object; result: unknown }
    assert.equal(status, 'completed', JSON.stringify(error))
    return result as Plan
  }

  test('they are in the backup, named in its record, its job and the activity, and come back', async () => {
    const { id, state, backup_id } = await aSite()
    const record = await recordOf(id)
    assert.deepEqual(record['roots'], [{ id: 'uploads', path: '/srv/shared/media' }])
    assert.deepEqual([record['outside_count'], record['omitted']], [0, null])
    const { result } = (await here.job(String(record['job_id']))) as { result: Record<string, unknown> }
    assert.deepEqual([result['roots'], result['outside_count']], [record['roots'], 0])
    const { activity } = (await here.call('activity.list', { site_id: id })) as unknown as { activity: { notes: string | null }[] }
    assert.ok(activity.some(({ notes }) => notes === 'Taken from outside of WordPress’s own folders: uploads.'))
    const good = pictureOf(state)
    state.files.delete('uploads:media/2026/a.jpg')
    putFile(state, 'uploads:media/2025/a.jpg', 'spoiled')
    putFile(state, 'uploads:media/new.jpg', 'new')
    const { files } = await planned(id, backup_id)
    assert.deepEqual([files['replace'], files['add'], files['remove']], [1, 1, 1])
    await restored(id, backup_id)
    assert.equal(pictureOf(state), good)
  })

  test('a folder that is named is found where its files lie', async () => {
    const { id, state, backup_id } = await aSite()
    for (const year of [2025, 2026]) putFile(state, `uploads:media/${year}/a.jpg`, 'spoiled')
    await restored(id, backup_id, { include: ['folder:wp-content/uploads/2026'] })
    const of = (year: number) => state.files.get(`uploads:media/${year}/a.jpg`)?.bytes.toString()
    assert.deepEqual([of(2025), of(2026)], ['spoiled', 'picture of 2026'])
    await restored(id, backup_id, { include: ['folder:wp-content/uploads'] })
    assert.equal(of(2025), 'picture of 2025')
  })

  test('what leads out is named, and only when that was looked at nothing is', async () => {
    const { id } = await aSite((state) => {
      state.files.set('wp-content/logs', { ...TARGET, target: '/var/log' })
      state.outside.set('wp-content/logs', 'it is a folder of the system')
    })
    const record = await recordOf(id)
    assert.equal(record['outside_count'], 1)
    assert.deepEqual(record.omitted?.['outside'], ['wp-content/logs (it is a folder of the system)'])
    const { summary } = await here.job(String(record['job_id']))
    assert.match(String(summary), /, without 1 place that leads out of the site\.$/)
    const older = await aSite((state) => {
      delete state.roots
    })
    const { outside_count, roots: told } = await recordOf(older.id)
    assert.deepEqual([outside_count, told], [null, null])
  })

  test('a link that leads out comes back as a link; what it leads to is said to stay', async () => {
    const { id, state, backup_id } = await aSite((state) => state.outside.set('wp-content/uploads', 'it leads to nothing'))
    state.files.delete('wp-content/uploads')
    const { warnings } = await restored(id, backup_id)
    assert.deepEqual(warnings, ['Not in the backup is what these lead to; it stays: wp-content/uploads.'])
    assert.equal(state.files.get('wp-content/uploads')?.target, TARGET.target)
  })

  test('where the site leads no more, nothing is written, and it is said', async () => {
    const { id, state, backup_id } = await aSite()
    state.roots = [{ id: 'abspath', path: '/srv/www', at: '' }]
    state.files.delete('wp-content/uploads')
    for (const year of [2025, 2026]) state.files.delete(`uploads:media/${year}/a.jpg`)
    const { kept } = await restored(id, backup_id)
    assert.ok(kept.includes('2 files of uploads, /srv/shared/media (the site leads there no more)'), kept.join('\n'))
    assert.ok(kept.includes('wp-content/uploads (a link that leads out of the site)'), kept.join('\n'))
    assert.ok(![...state.files.keys()].some((path) => path.startsWith('uploads:')))
  })

  test('what is another WordPress by now is left alone, also where the backup has its files, and so is the folder around it', async () => {
    const { id, state, backup_id } = await aSite((state) => {
      putFile(state, 'clients/a/wp-load.php', 'their core')
      putFile(state, 'clients/b.txt', 'ours')
      putFile(state, 'friends', 'a file')
    })
    state.excluded.set('clients/a', 'another WordPress').set('friends/c', 'another WordPress')
    state.files.delete('friends')
    putFile(state, 'clients/a/wp-load.php', 'updated since')
    putFile(state, 'clients/b.txt', 'spoiled')
    putFile(state, 'friends/c/wp-load.php', 'a friend')
    await backUp(id)
    const record = await recordOf(id)
    assert.deepEqual(record.omitted?.['neighbours'], ['clients/a', 'friends/c'])
    assert.match(String((await here.job(String(record['job_id']))).summary), /; another WordPress in a folder of it is left out\.$/)
    const { kept } = await restored(id, backup_id)
    const textOf = (path: string) => state.files.get(path)?.bytes.toString()
    assert.deepEqual(['clients/a/wp-load.php', 'clients/b.txt', 'friends/c/wp-load.php'].map(textOf), ['updated since', 'ours', 'a friend'])
    assert.deepEqual(
      kept.filter((line) => line.includes('WordPress')),
      ['friends (a folder by now, with another WordPress in it)', 'clients/a (another WordPress by now, with all that is in it)'],
    )
  })

  test('what nothing leads to any more is not backed up, and comes back with its link', async () => {
    const { id, state, backup_id } = await aSite()
    const good = pictureOf(state)
    const whole = Number((await recordOf(id))['files_count'])
    state.roots = [
      { id: 'abspath', path: '/srv/www', at: '' },
      { ...UPLOADS, was: true },
    ]
    state.files.delete('wp-content/uploads')
    state.files.delete('uploads:media/2026/a.jpg')
    await backUp(id)
    assert.deepEqual([(await recordOf(id))['roots'], (await recordOf(id))['files_count']], [[], whole - 2])
    await restored(id, backup_id)
    assert.equal(pictureOf(state), good)
  })

  test('a folder that the backup knows nothing of is left alone, also one that was not there', async () => {
    const { id, state, backup_id } = await aSite((state) => {
      delete state.roots
    })
    state.roots = structuredClone(roots)
    const good = pictureOf(state)
    await restored(id, backup_id)
    assert.equal(pictureOf(state), good)
    const gone = await aSite((all) => {
      for (const path of all.files.keys()) if (path.startsWith('uploads:')) all.files.delete(path)
    })
    putFile(gone.state, 'uploads:media/mounted.jpg', 'there again')
    const now = pictureOf(gone.state)
    await restored(gone.id, gone.backup_id)
    assert.equal(pictureOf(gone.state), now)
  })

  test('where the site may not write nothing is tried, and it is said', async () => {
    const { id, state, backup_id } = await aSite()
    state.roots = [
      { id: 'abspath', path: '/srv/www', at: '' },
      { ...UPLOADS, writable: false },
    ]
    putFile(state, 'uploads:media/2026/a.jpg', 'spoiled')
    putFile(state, 'uploads:media/2026/b.jpg', 'new')
    putFile(state, 'index.php', 'spoiled')
    const { kept } = await restored(id, backup_id)
    assert.ok(kept.includes('2 files of uploads, /srv/shared/media (the site may not write there)'), kept.join('\n'))
    assert.deepEqual(
      [state.files.get('index.php')?.bytes.toString() === 'spoiled', state.files.has('uploads:media/2026/b.jpg')],
      [false, true],
    )
  })

  test('room is asked for where the files go, and where there is too little nothing is begun', async () => {
    const { id, state, backup_id } = await aSite((all) => putFile(all, 'uploads:media/film.mp4', 'x'.repeat(5_000)))
    state.files.delete('uploads:media/film.mp4')
    state.survey = { modes: true, disks: [{ roots: ['uploads'], free: 5_500 }] }
    const words = 'there is too little disk space on the site where uploads lies'
    assert.equal(((await planned(id, backup_id)) as unknown as { obstacle: string }).obstacle, words)
    const { job_id } = await here.call('restores.create', { site_id: id, backup_id, safety_backup: false })
    const { status, error } = (await here.job(String(job_id))) as { status: string; error: { message: string } }
    assert.deepEqual([status, error.message, state.restore?.phase], ['failed', `This site cannot take a restore: ${words}.`, undefined])
    state.survey = { modes: true, disks: [{ roots: ['uploads'], free: 6_500 }] }
    await restored(id, backup_id)
    assert.ok(state.files.has('uploads:media/film.mp4'))
  })

  test('a name that means another path on Windows comes back where it is a name', async () => {
    const names = ['wp-content/a\\b.txt', 'C:x']
    // Nobody means that as a name.
    const never = 'wp-content/a\\..\\b.txt'
    const { id, state, backup_id } = await aSite((all) => {
      for (const name of [...names, never]) putFile(all, name, 'good')
    })
    for (const name of names) putFile(state, name, 'spoiled')
    const { kept } = await restored(id, backup_id)
    assert.deepEqual(
      kept.filter((line) => line.includes('not restored') && !line.startsWith(never)),
      names.toReversed().map((name) => `${name} (a name that is not restored)`),
    )
    state.survey = { letters: true, modes: true }
    const later = await restored(id, backup_id)
    assert.deepEqual(
      later.kept.filter((line) => line.includes('not restored')),
      [`${never} (a name that is not restored)`],
    )
    assert.deepEqual(
      names.map((name) => state.files.get(name)?.bytes.toString()),
      ['good', 'good'],
    )
  })

  test('links at the top of the machine lead to what is the site’s there, or stay', async () => {
    const { id, state, backup_id } = await aSite((all) => {
      Object.assign(all.roots?.[1] ?? {}, { path: '', only: ['media'] })
      all.files.set('uploads:media/out', { ...TARGET, target: '../etc/passwd' })
      all.files.set('uploads:media/in', { ...TARGET, target: '../media/2026' })
    })
    for (const name of ['out', 'in']) state.files.delete(`uploads:media/${name}`)
    const { kept } = await restored(id, backup_id)
    assert.ok(kept.includes('media/out (a link that leads out of the site)'), kept.join('\n'))
    assert.deepEqual([state.files.has('uploads:media/out'), state.files.get('uploads:media/in')?.target], [false, '../media/2026'])
  })

  test('a folder in which PHP may not write stays as it is with all that differs in it, and the rest is restored', async () => {
    const sftp = 'wp-content/plugins/sftp'
    const { id, state, backup_id } = await aSite((all) => {
      for (const name of ['a.php', 'deep/b.php', 'same.php']) putFile(all, `${sftp}/${name}`, 'good')
      putFile(all, 'wp-content/plugins/mine/a.php', 'good')
    })
    state.survey = { folders: true, modes: true }
    for (const folder of [sftp, `${sftp}/deep`, `${sftp}/new`]) state.sealed.add(folder)
    for (const name of ['a.php', 'deep/b.php', 'new/c.php']) putFile(state, `${sftp}/${name}`, 'spoiled')
    putFile(state, 'wp-content/plugins/mine/a.php', 'spoiled')
    const line = `4 files of ${sftp} (the site may not write there)`
    const { files, kept } = await planned(id, backup_id)
    assert.deepEqual([files['replace'], files['add'], files['remove'], kept.includes(line)], [1, 0, 0, true], kept.join('\n'))
    state.ungrouped = ['/srv/www/wp-content/plugins/mine/a.php']
    const done = await restored(id, backup_id)
    assert.ok(done.kept.includes(line), done.kept.join('\n'))
    assert.deepEqual(done.warnings, [
      'Belongs to PHP’s own group now, because PHP may not give it the one that it had, or that its folder has: /srv/www/wp-content/plugins/mine/a.php.',
    ])
    const textOf = (path: string) => state.files.get(path)?.bytes.toString()
    assert.deepEqual([textOf('wp-content/plugins/mine/a.php'), textOf(`${sftp}/a.php`)], ['good', 'spoiled'])
    // A root that says the same of its top alone.
    state.roots = [{ id: 'abspath', path: '/srv/www', at: '', writable: false }, UPLOADS]
    putFile(state, 'wp-content/plugins/mine/a.php', 'spoiled')
    putFile(state, 'index.php', 'spoiled')
    const { kept: some } = await restored(id, backup_id)
    assert.deepEqual(
      some.filter((each) => each.includes('may not write')),
      ['1 file of abspath (the site may not write there)', line],
    )
    assert.deepEqual([textOf('wp-content/plugins/mine/a.php'), textOf('index.php')], ['good', 'spoiled'])
  })

  test('a file that kept changing comes back as it was read and is named; what went meanwhile stays as it is', async () => {
    let n = 0
    const { id, state, backup_id } = await aSite((all) => {
      putFile(all, 'wp-content/growing.log', 'first')
      putFile(all, 'wp-content/gone.txt', 'gone')
      all.fault = (verb, moment) => {
        if (verb !== 'files.read' || moment !== 'before') return undefined
        all.files.delete('wp-content/gone.txt')
        putFile(all, 'wp-content/growing.log', `${'line\n'.repeat(++n)}`, 1_770_000_000 + n)
        return undefined
      }
    })
    state.fault = undefined
    const { changed_count, omitted } = await recordOf(id)
    assert.deepEqual([changed_count, omitted?.['changed']?.length], [2, 2])
    state.files.delete('wp-content/growing.log')
    putFile(state, 'wp-content/gone.txt', 'made anew')
    const { warnings } = await restored(id, backup_id)
    assert.match(state.files.get('wp-content/growing.log')?.bytes.toString() ?? '', /^(line\n)+$/)
    assert.equal(state.files.get('wp-content/gone.txt')?.bytes.toString(), 'made anew')
    assert.deepEqual(warnings, [
      'Comes back as it was read while it kept changing: wp-content/growing.log.',
      'Not in the backup, because it went while that ran; what the site has there stays: wp-content/gone.txt.',
    ])
  })
})
