// What a stranger is given of all that the connector writes, by web servers that show whatever lies below their document root.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, chown, mkdir, open, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { freePort } from '../../demo/start-site.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, until } from '../house.ts'
import { visit } from '../visitor.ts'
import { PHP_VERSION } from './debian.ts'
import { type Fleet, type SiteSpec, startFleet } from './fleet.ts'
import { connectAll, leftovers, type Managed } from './managed.ts'
import { makeUpgradeFolders } from './undo-site.ts'

const nginx = { wp: '7.1.1', db: 'mariadb', dotFiles: true } as const
/** `closed`: nothing can be written beside the document root. */
const layouts: { name: string; site: SiteSpec; closed?: true }[] = [
  { name: 'nginx without a rule for dot files', site: nginx },
  { name: 'Apache with AllowOverride None', site: { wp: '7.1.1', db: 'sqlite', apache: { overrides: 'None' } } },
  { name: 'nginx without a rule for dot files, and nothing can be written beside the document root', site: nginx, closed: true },
]
/** `npm run prove:backups`: all of them, and a whole WordPress. */
const whole = process.env.SERVED === 'whole'
const tried = whole ? layouts : layouts.slice(-1)

let house: House
let fleet: Fleet
let mirror: Mirror
let all: Managed[]
const plain: { stop(): void }[] = []

before(async () => {
  house = await openHouse()
  mirror = await startMirror()
  fleet = await startFleet(
    tried.map(({ site }) => site),
    {
      light: !whole,
      plugins: [CONNECTOR, await writeSamplePlugin(house.dir)],
      muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
      constants: { WPORG_MIRROR: mirror.url },
    },
  )
  all = await connectAll(house, fleet)
  await Promise.all(all.map(makeUpgradeFolders))
})
after(async () => {
  for (const server of plain) server.stop()
  await fleet?.stop()
  await mirror?.stop()
  await house?.close()
})

const SECRET = 'canary-9f83aa17'
const SEARCHED = ['.', 'wp-content', 'wp-content/mu-plugins', 'wp-content/svc-connector-work', 'wp-content/uploads']

/** PHP's own server on the files of a site: it knows no rule at all. */
async function phpServer(dir: string): Promise<string> {
  const port = await freePort()
  const child = spawn(`php${PHP_VERSION}`, ['-S', `127.0.0.1:${port}`, '-t', dir], { stdio: 'ignore' })
  plain.push({ stop: () => child.kill('SIGKILL') })
  const url = `http://127.0.0.1:${port}`
  return until('PHP’s own server', () => {
    assert.equal(child.exitCode, null, 'it ended at once')
    return fetch(`${url}/license.txt`).then(
      ({ ok }) => (ok ? url : undefined),
      () => undefined,
    )
  })
}

/** Every path below a folder; what vanishes meanwhile is left out. */
async function walk(folder: string, deep: boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = entries.map((entry) => join(folder, entry.name))
  const below = deep ? await Promise.all(entries.filter((e) => e.isDirectory()).map((e) => walk(join(folder, e.name), true))) : []
  return [...found, ...below.flat()]
}

async function written(dir: string): Promise<string[]> {
  const found = await Promise.all(
    SEARCHED.map(async (folder) =>
      walk(join(dir, folder), folder.endsWith('-work')).then((paths) => paths.map((path) => relative(dir, path))),
    ),
  )
  const trials = found.flat().filter((path) => /uploads\/[^/]*svc-/.test(path))
  const inside = await Promise.all(trials.map((path) => walk(join(dir, path), true)))
  return [...new Set([...found.flat(), ...inside.flat().map((path) => relative(dir, path))])]
}

interface Seen {
  path: string
  server: string
  status: number
  body: string
}

/** A stranger who is told every path as soon as it is there. */
function stranger(dir: string, servers: string[], known: Set<string>) {
  const seen: Seen[] = []
  let ending = false
  const ask = async (path: string) => {
    const address = path.split('/').map(encodeURIComponent).join('/')
    for (const server of servers) {
      const answer = await fetch(`${server}/${address}`, { redirect: 'manual' }).catch(() => undefined)
      if (answer) seen.push({ path, server, status: answer.status, body: Buffer.from(await answer.arrayBuffer()).toString('latin1') })
    }
  }
  const done = (async () => {
    const asked = new Set(known)
    while (!ending) {
      for (const path of await written(dir)) {
        if (asked.has(path)) continue
        asked.add(path)
        await ask(path)
      }
      // This one changes what it says, and is the one whose name everybody knows.
      await ask('.maintenance')
      await sleep(5)
    }
  })()
  return {
    async stop() {
      ending = true
      await done
      return seen
    },
  }
}

const NAMES = /\.ht[0-9a-f]{32}|\.svc-connector-[0-9a-f]{32}/

/** What nobody may be given: rows, sources, settings, and where such things lie. */
function gives({ path, body }: Seen, secrets: string[]): string | undefined {
  // Pages of errors and lists of folders repeat what was asked for.
  const own = path.split('/').filter((part) => NAMES.test(part))
  if (NAMES.test(own.reduce((text, part) => text.replaceAll(part, ''), body))) return 'the name of a working folder'
  if (/INSERT INTO|CREATE TABLE|SQLite format|"phase"|"roots"/.test(body)) return 'a state or rows'
  return secrets.find((secret) => body.includes(secret))
}

async function job(one: Managed, path: string, body: object): Promise<string> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}${path}`, body)
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', `${path}: ${JSON.stringify(error)}`)
  return job_id
}

const secretsOf = async ({ native }: Managed) => {
  const config = await readFile(join(native.dir, 'wp-config.php'), 'utf8')
  const salts = [...config.matchAll(/'((?:AUTH|LOGGED_IN)_(?:KEY|SALT))',\s*'([^']+)'/g)].map(([, , salt = '']) => salt)
  const hash = (await native.wpCli(['user', 'get', '1', '--field=user_pass'])).trim()
  assert.ok(salts.length >= 4 && hash.length > 20)
  return [SECRET, ...salts, hash, 'const HARBOUR', '<?php\n/* Plugin Name']
}

for (const [index, { name, closed }] of tried.entries())
  test(`while a backup, a restore, an update and a tweak run, and a day later, a stranger is given nothing: ${name}`, async () => {
    const one = all[index] as Managed
    const { native } = one
    await native.wpCli(['post', 'create', `--post_title=${SECRET}`, '--post_status=draft', `--post_content=${SECRET}`])
    if (closed) {
      await chown(join(native.dir, '..'), 0, 0)
      await chmod(join(native.dir, '..'), 0o755)
    }
    const secrets = await secretsOf(one)
    const servers = [native.url, await phpServer(native.dir)]
    const known = new Set(await written(native.dir))
    // A plain file of the site is shown by each of them, so the test can fail.
    for (const server of servers) assert.equal((await fetch(`${server}/license.txt`)).status, 200)
    await writeFile(join(native.dir, '.shown'), SECRET)
    for (const server of servers) assert.equal(await (await fetch(`${server}/.shown`)).text(), SECRET)

    const visitor = stranger(native.dir, servers, known)
    const { backup_id, job_id } = await house.ask<Record<string, string>>('POST', `/sites/${one.site.id}/backups`, { type: 'full' })
    assert.equal((await house.finished(job_id ?? '')).status, 'completed')
    await native.wpCli(['post', 'create', '--post_title=later', '--post_status=publish'])
    await writeFile(join(native.dir, 'wp-content/plugins/harbour-notices/later.txt'), 'later')
    await job(one, `/backups/${backup_id}/restore`, { safety_backup: false })
    mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0' } })
    await job(one, '/actions', { action: 'update', plugins: ['harbour-notices'] })
    await job(one, '/tweaks', { action: 'apply', tweak_ids: ['readme_blocked'] })
    const seen = await visitor.stop()

    const paths = new Set(seen.map(({ path }) => path).filter((path) => !known.has(path)))
    assert.ok(
      seen.some(({ path, body }) => path === '.maintenance' && body.includes('A backup is being put back')),
      'it was seen',
    )
    assert.ok(
      [...paths].some((path) => path.includes('state.php')),
      `${[...paths].join(' ')}`,
    )
    const given = seen.flatMap((each) => {
      const what = gives(each, secrets)
      return what === undefined || each.path === '.shown' ? [] : [`${each.server}/${each.path}: ${what}`]
    })
    assert.deepEqual(
      [...new Set(given)].filter((line) => !closed || !unguessable(line)),
      [],
    )

    // One visit sweeps for two seconds at most; the next hour goes on.
    for (let hours = 0; hours < 20 && (await leftovers(one)).length > 0; hours++) {
      await aDayLater(native.dir)
      await visit(native.url)
    }
    assert.deepEqual(await leftovers(one), [])
    console.log(`# ${paths.size} paths of ours were asked for, ${seen.length} requests`)
  })

/** Where nothing can be written beside the document root, data lies below two names of 128 random bits, neither of which is given to anybody. */
const unguessable = (line: string) => /\/\.ht[0-9a-f]{32}\/[0-9a-f]{32}\//.test(line)

/**
 * As if a day had passed: what was kept may go, and the clock of the last look has run out. The last visit may still be
 * sweeping behind its answer, so nothing is made anew here: what it takes away meanwhile is gone as it should be.
 */
async function aDayLater(dir: string): Promise<void> {
  const work = join(dir, 'wp-content/svc-connector-work')
  const past = new Date(Date.now() - 25 * 3_600_000)
  for (const name of await readdir(work)) {
    await using state = await open(join(work, name, 'state.php'), 'r+').catch(gone)
    if (state === undefined) continue
    // As long as it was, and in one write: who reads it meanwhile reads one or the other.
    const text = (await state.readFile('utf8')).replace(/("kept_until":)(\d+)/, (_, key, time) => key + '1'.padEnd(time.length))
    await state.write(text, 0)
    await utimes(join(work, name, 'heard'), past, past).catch(gone)
  }
  await mkdir(work, { recursive: true })
  await utimes(join(work, 'index.php'), past, past).catch(gone)
}

/** What an error of a path that is not there stands for. */
function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
