// Every tweak on real sites: the attack works, the tweak is applied through the API, the attack fails, it is taken back, the attack works again.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { run } from '../../demo/npm.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { attacks, guess, type Target } from './attacks.ts'
import { type Fleet, type NativeSite, type SiteSpec, startFleet } from './fleet.ts'

const HERE = import.meta.dirname
const only = process.env.TWEAKS?.split(',')

interface Managed extends Target {
  id: string
}
interface Result {
  items: { tweak_id: string; status: string; reason: string | null; evidence: string[] }[]
}
interface Listed {
  live: boolean
  tweaks: {
    id: string
    state: string
    reason: string | null
    already_by: string | null
    snippet: string | null
    applied_at: string | null
  }[]
}

let house: House
let fleet: Fleet
const sites: Record<string, Managed> = {}

const specs: Record<string, SiteSpec> = {
  nginx: { wp: '7.1.1', db: 'mariadb', constants: { WP_ENVIRONMENT_TYPE: 'local' } },
  old: { wp: '6.1.9', db: 'mariadb', constants: { WP_ENVIRONMENT_TYPE: 'local' } },
}

before(async () => {
  house = await openHouse()
  fleet = await startFleet(Object.values(specs), {
    plugins: [CONNECTOR],
    muPlugins: [join(HERE, 'mu-warn.php'), join(HERE, 'mu-cost.php')],
  })
  for (const [index, name] of Object.keys(specs).entries()) {
    const native = fleet.sites[index]
    if (!native) throw new Error('A site is missing.')
    sites[name] = await managed(native)
  }
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

async function managed(native: NativeSite): Promise<Managed> {
  await native.wpCli(['svc', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
  const site = await until(`${native.url} connected`, async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ url, status }) => url === native.url && status === 'connected'),
  )
  const uploads = join(native.dir, 'wp-content/uploads')
  await mkdir(join(uploads, 'secret'), { recursive: true })
  await writeFile(join(uploads, 'secret/report.txt'), 'secret')
  await writeFile(join(uploads, 'shell.php'), '<?php echo "ran ", 6 * 7;')
  await run('chown', ['-R', 'www-data:', uploads])
  const post = (await native.wpCli(['post', 'list', '--post_type=post', '--field=url', '--posts_per_page=1'])).trim()
  const password = (await native.wpCli(['user', 'application-password', 'create', native.adminUser, 'robot', '--porcelain'])).trim()
  return { ...native, id: site.id, post, applicationPassword: `${native.adminUser}:${password}` }
}

function siteOf(name: string): Managed {
  const site = sites[name]
  if (!site) throw new Error(`There is no site ${name}.`)
  return site
}

async function order(site: Managed, action: string, tweak_ids: string[], more: object = {}) {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/tweaks`, { action, tweak_ids, ...more })
  const job = await house.finished<Result>(job_id)
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  return job.result.items
}
const states = async (site: Managed) => {
  const { tweaks } = await house.ask<Listed>('GET', `/sites/${site.id}/tweaks`)
  return Object.fromEntries(tweaks.map((tweak) => [tweak.id, tweak]))
}
const attack = (id: string, site: Target) => attacks[id]?.(site) ?? assert.fail(`No attack for ${id}.`)

/** Before, after, and after that again. */
function proves(name: string, id: string) {
  test(`${id} on the site ${name}: the attack works, is stopped, and works again`, { skip: only && !only.includes(id) }, async () => {
    const site = siteOf(name)
    const got = await attack(id, site)
    assert.ok(got.length > 0, 'the attack works')
    const [applied] = await order(site, 'apply', [id])
    assert.equal(applied?.status, 'applied', JSON.stringify(applied))
    assert.deepEqual(await attack(id, site), [])
    assert.equal((await states(site))[id]?.state, 'applied')
    const [reverted] = await order(site, 'revert', [id])
    assert.equal(reverted?.status, 'reverted', JSON.stringify(reverted))
    assert.deepEqual(await attack(id, site), got, 'as it was')
  })
}

const hooked = [
  'file_editor_off',
  'xmlrpc_off',
  'pingbacks_off',
  'user_enumeration_off',
  'version_hidden',
  'application_passwords_off',
  'security_headers',
  'login_limited',
]

describe('tweaks that work through hooks', () => {
  for (const name of ['nginx', 'old']) for (const id of hooked) proves(name, id)
})
