// Names and paths of an attacker's choice: none is included, written or read.
import assert from 'node:assert/strict'
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { run } from '../../../demo/npm.ts'
import { type Attacked, everywhere, named, sha256, signedWith } from '../attacked.ts'
import { WEB_USER } from '../daemons.ts'
import type { NativeSite } from '../fleet.ts'
import { knockEverywhere, send } from '../knock.ts'
import { all, asleep, done, form, LOGIN, refused, still, zeroKey } from './common.ts'

export async function uploadsElsewhere(here: Attacked): Promise<void> {
  const { paired, asked, written } = here
  const evil = Buffer.from("<?php file_put_contents( dirname( __DIR__ ) . '/tmp/file-run', 'x' );")
  const words = named('restore.put', { job: 'job_evil', fence: 1, items: [{ h: sha256(evil), s: evil.length, o: 0, n: evil.length }] })
  const length = Buffer.alloc(4)
  length.writeUInt32BE(words.length)
  const upload = written(Buffer.concat([length, words, evil]), { servicePrivateKey: zeroKey, contentType: 'application/octet-stream' })
  refused(await still(here, paired, () => everywhere(paired, [upload, signedWith(upload, Buffer.alloc(64))])))

  const job = { job: 'job_evil', fence: 1 }
  done(await asked('restore.begin', { ...job, files: true, tables: [], extra: [], bytes: 1e4 }))
  const put = (content: Buffer, h = sha256(content)) =>
    asked('restore.put', { ...job, items: [{ h, s: content.length, o: 0, n: content.length }] }, content)
  for (const h of ['../../evil.php', '/tmp/evil.php', `${'a'.repeat(63)}/`, 'evil.php\0'])
    assert.match((await put(evil, h)).text, /^error:bad_request/)
  done(await put(evil))
  const hidden = { b64: Buffer.from('../evil.php').toString('base64') }
  const places = [
    '../evil.php',
    '/evil.php',
    'wp-content/../../evil.php',
    'a\\..\\evil.php',
    'evil.php\0.txt',
    './evil.php',
    hidden,
    'wp-config.php',
    '.maintenance',
  ]
  for (const p of places) {
    const plan = Buffer.from(`${JSON.stringify({ k: 'put', r: 'abspath', p, m: 0o644, t: 1, h: sha256(evil), s: evil.length })}\n`)
    done(await put(plan))
    const answer = await asked('restore.prepare', { ...job, plan: sha256(plan), from: 0, budget_ms: 4000 })
    assert.match(answer.text, /^error:bad_request/, JSON.stringify(p))
  }
  done(await asked('restore.purge', { ...job, budget_ms: 4000 }))
}

/** A file among the uploads that tells when it is run. */
async function plantCode({ dir }: NativeSite): Promise<string> {
  const planted = join(dir, 'wp-content/uploads/canary.php')
  await mkdir(dirname(planted), { recursive: true })
  await writeFile(planted, "<?php file_put_contents( dirname( __DIR__, 3 ) . '/tmp/file-run', 'x' );")
  return planted
}

export async function includedNames(here: Attacked): Promise<void> {
  const { paired, bare, asked } = here
  const names = ['wp-content/uploads/canary', '../../uploads/canary.php', '../wp-content/uploads/canary.php', '/etc/passwd\0']
  for (const site of [paired, bare]) {
    await plantCode(site)
    const fields = (name: string) => ({
      filename: name,
      file: name,
      path: name,
      page: name,
      template: name,
      class: name,
      method: name,
      action: name,
    })
    await still(here, site, () =>
      all(names, (name) => send(`${site.url}/?umbrella=1&${new URLSearchParams(fields(name))}`, form(fields(name)))),
    )
    await still(here, site, () =>
      everywhere(
        site,
        names.slice(1, 3).map((name) => ({ body: named(name, fields(name)) })),
      ),
    )
  }
  const answers = await still(
    here,
    paired,
    () =>
      all(
        names.flatMap((name) => [name, `Health::${name}`]),
        (name) => asked(name, { file: name, path: name }),
      ),
    true,
  )
  for (const { text } of answers) assert.match(text, /^error:(unknown_verb|bad_request)/)
  for (const verb of ['tweaks.apply', 'tweaks.try', 'security.integrity', 'updates.guard'])
    for (const name of names)
      assert.match(
        (await asked(verb, { job: 'j', fence: 1, id: name, end: false, type: 'plugin', file: `../../${name}`, root: name, budget_ms: 1 }))
          .text,
        /^error:/,
      )
  asleep(paired)
  asleep(bare)
}

export async function includedHeaders(here: Attacked): Promise<void> {
  const { paired, bare } = here
  const names = 'content-dir content-abs content-configdir content-name svc-dir svc-include x-forwarded-host svc-protocol svc-site'.split(
    ' ',
  )
  for (const site of [paired, bare])
    for (const value of [await plantCode(site), 'php://filter/resource=wp-config.php']) {
      const headers = Object.fromEntries(names.map((name) => [name, value]))
      await still(here, site, () => everywhere(site, [{ headers, body: LOGIN }]))
      await still(here, site, () => all(['/', '/wp-login.php', '/?svc-connector-login=x'], (path) => send(site.url + path, { headers })))
      asleep(site)
    }
}

export async function chosenFiles(here: Attacked): Promise<void> {
  const { paired, asked } = here
  const outside = [
    '../../../../../../etc/passwd',
    '/etc/passwd',
    'wp-content/../../tmp/x',
    './wp-config.php',
    'a/../wp-config.php',
    'wp-config.php\0',
  ]
  const fields = (file: string) => ({ action: 'duplicator_download', file, root: 'abspath', p: file })
  const reading = (p: string) => ({ root: 'abspath', items: [{ p, o: 0, n: 4000 }], max_bytes: 1e6, budget_ms: 1000 })
  await still(here, paired, () => all(['wp-config.php', ...outside], (file) => send(`${paired.url}/?${new URLSearchParams(fields(file))}`)))
  for (const file of ['wp-config.php', '/etc/passwd'])
    refused(await knockEverywhere(paired, { body: named('files.read', reading(file)), more: `file=${file}` }))
  for (const file of outside) {
    assert.match((await asked('files.read', reading(file))).text, /^error:bad_request/, file)
    assert.match((await asked('files.digest', { root: 'abspath', items: [file], budget_ms: 1000 })).text, /^error:bad_request/, file)
  }
}

export async function linksOut(here: Attacked): Promise<void> {
  const { paired, asked } = here
  const outside = join(paired.dir, '../tmp/outside')
  await mkdir(outside, { recursive: true })
  await writeFile(join(outside, 'secret.txt'), 'root:x:0 secret')
  await run('chown', ['-R', `${WEB_USER}:`, outside]) // Only the connector stands between PHP and it.
  await symlink(outside, join(paired.dir, 'wp-content/uploads/way'))
  const job = { job: 'job_link', fence: 1 }
  const read = { root: 'abspath', items: [{ p: 'wp-content/uploads/way/secret.txt', o: 0, n: 99 }], max_bytes: 1e6, budget_ms: 1000 }
  assert.match((await asked('files.read', read)).text, /"status":"(unreadable|missing)"/)
  done(await asked('restore.begin', { ...job, files: true, tables: [], extra: [], bytes: 1e4 }))
  const plan = Buffer.from(`${JSON.stringify({ k: 'dir', r: 'abspath', p: 'wp-content/uploads/way/made', m: 0o755 })}\n`)
  done(await asked('restore.put', { ...job, items: [{ h: sha256(plan), s: plan.length, o: 0, n: plan.length }] }, plan))
  await asked('restore.prepare', { ...job, plan: sha256(plan), from: 0, budget_ms: 4000 })
  await asked('restore.arm', { ...job, probe: sha256('probe') })
  assert.match((await asked('restore.swap', job)).text, /^error:/)
  await asked('restore.rollback', job)
  await asked('restore.purge', { ...job, budget_ms: 4000 })
  assert.deepEqual(await readdir(outside), ['secret.txt'])
  await rm(join(paired.dir, 'wp-content/uploads/way'))
}
