// Real sites of every kind that tweaks meet, paired with a service of their own.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../demo/npm.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, type Site, until } from '../house.ts'
import { attacks, type Target } from './attacks.ts'
import { openTrustingHouse } from './certificate.ts'
import { type NativeSite, type SiteSpec, startFleet } from './fleet.ts'

const HERE = import.meta.dirname

export interface Managed extends Target {
  id: string
}
interface Result {
  items: { tweak_id: string; status: string; reason: string | null; site_said: { text: string } | null; evidence: string[] }[]
}
interface Listed {
  tweaks: {
    id: string
    state: string
    reason: string | null
    already_by: string | null
    snippet: string | null
    finding_ids: string[]
  }[]
}

export interface TweakHouse {
  house: House
  /** Folder with `ca.pem`, which the service trusts. */
  ca: string
  site(name: string): Managed
  /** What became of each tweak. */
  order(site: Managed, action: 'apply' | 'revert', tweakIds: string[], more?: object): Promise<Result['items']>
  states(site: Managed): Promise<Record<string, Listed['tweaks'][number]>>
  /** Before, after, and after that again. `login_limited` comes last, because it shuts out whoever attacks. */
  proves(site: Managed, tweakIds: string[]): Promise<void>
  close(): Promise<void>
}

export async function openTweakHouse(specs: (ca: string) => Record<string, SiteSpec>): Promise<TweakHouse> {
  const house = await openTrustingHouse()
  const { ca } = house
  const wanted = specs(ca)
  const muPlugins = ['mu-warn.php', 'mu-cost.php'].map((name) => join(HERE, name))
  const fleet = await startFleet(Object.values(wanted), { plugins: [CONNECTOR], muPlugins }).catch(async (error: unknown) => {
    await house.close()
    throw error
  })
  const sites = new Map<string, Managed>()
  for (const [index, name] of Object.keys(wanted).entries()) {
    const native = fleet.sites[index]
    if (native) sites.set(name, await managed(house, native))
  }
  const order: TweakHouse['order'] = async (site, action, tweak_ids, more = {}) => {
    const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/tweaks`, { action, tweak_ids, ...more })
    const job = await house.finished<Result>(job_id)
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    return job.result.items
  }
  const states: TweakHouse['states'] = async (site) => {
    const { tweaks } = await house.ask<Listed>('GET', `/sites/${site.id}/tweaks`)
    return Object.fromEntries(tweaks.map((tweak) => [tweak.id, tweak]))
  }
  return {
    ...{ house, ca, order, states },
    site(name) {
      const site = sites.get(name)
      if (!site) throw new Error(`There is no site ${name}.`)
      return site
    },
    async proves(site, tweakIds) {
      const got = new Map<string, string[]>()
      for (const id of tweakIds) {
        got.set(id, await attack(id, site))
        assert.ok((got.get(id)?.length ?? 0) > 0, `${id}: the attack works`)
      }
      for (const item of await order(site, 'apply', tweakIds)) assert.equal(item.status, 'applied', JSON.stringify(item))
      const now = await states(site)
      for (const id of tweakIds) {
        assert.deepEqual(await attack(id, site), [], `${id}: the attack is stopped`)
        assert.equal(now[id]?.state, 'applied', id)
      }
      for (const item of await order(site, 'revert', tweakIds)) assert.equal(item.status, 'reverted', JSON.stringify(item))
      for (const id of tweakIds) assert.deepEqual(await attack(id, site), got.get(id), `${id}: as it was`)
    },
    async close() {
      await fleet.stop()
      await house.close()
    },
  }
}

export const attack = (id: string, site: Target): Promise<string[]> => attacks[id]?.(site) ?? assert.fail(`No attack for ${id}.`)

async function managed(house: House, native: NativeSite): Promise<Managed> {
  await native.wpCli(['svc-connector', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
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
