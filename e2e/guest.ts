// A real WordPress for a story: php-wasm, SQLite, an outdated plugin, a stand-in for wordpress.org, and content that is hard to carry.
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeSamplePlugin } from '../demo/mirror-packages.ts'
import { SAMPLE_PLUGIN } from '../demo/sample-plugin.ts'
import type { ConstantValue } from '../demo/site-files.ts'
import { type Site, startSite } from '../demo/start-site.ts'
import { type Mirror, startMirror } from '../demo/wporg-mirror.ts'
import type { House } from './house.ts'

const ROOT = join(import.meta.dirname, '..')
export const CONNECTOR = join(ROOT, 'connector/svc-connector')

export interface Guest {
  site: Site
  mirror: Mirror
  stop(): Promise<void>
}

interface GuestOptions {
  php?: string
  constants?: Record<string, ConstantValue>
  /** Folders of more plugins. */
  plugins?: (mirror: Mirror) => Promise<string[]>
}

/** A site that pairs itself by the constants in its wp-config.php. */
export async function startGuest(house: House, options: GuestOptions = {}): Promise<Guest> {
  const mirror = await startMirror()
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0' } })
  const site = await startSite({
    dir: join(house.dir, `site-${options.php ?? ''}`),
    ...(options.php !== undefined && { phpVersion: options.php }),
    title: 'Harbour & Sons',
    plugins: [CONNECTOR, await writeSamplePlugin(house.dir), ...((await options.plugins?.(mirror)) ?? [])],
    muPlugins: [join(ROOT, 'demo/mu-wporg-mirror.php')],
    constants: {
      ...{ SVC_CONNECTOR_URL: house.url, SVC_CONNECTOR_CODE: await house.pairingCode() },
      ...{ WPORG_MIRROR: mirror.url, WP_HTTP_BLOCK_EXTERNAL: true, WP_ACCESSIBLE_HOSTS: '127.0.0.1,localhost', DISABLE_WP_CRON: true },
      ...options.constants,
    },
  })
  return {
    ...{ site, mirror },
    async stop() {
      await site.stop()
      await mirror.stop()
    },
  }
}

const BULK = [
  'wp-includes/js',
  'wp-includes/css',
  'wp-admin/js',
  'wp-admin/css',
  'wp-content/themes/twentytwentythree',
  'wp-content/themes/twentytwentyfour',
]

/** Removes what only browsers fetch and two idle themes: most of WordPress's bytes, which WebAssembly reads slowly. */
export async function removeBulk(root: string): Promise<void> {
  for (const folder of BULK) await rm(join(root, folder), { recursive: true })
}

/** Names and sizes that a careless archive would spoil. */
export async function plantHostileFiles(root: string): Promise<void> {
  const folder = join(root, 'wp-content/uploads/tricky')
  await mkdir(join(folder, 'empty folder'), { recursive: true })
  const long = `${'é'.repeat(120)}.txt`
  for (const name of [
    '-rf',
    ' leading and trailing ',
    'new\nline',
    'caf\u00e9.txt',
    'cafe\u0301.txt',
    'UPPER',
    'upper',
    '"quoted" \'twice\'',
    'back\\slash',
    long,
  ])
    await writeFile(join(folder, name), `content of ${name}`)
  await writeFile(join(folder, 'empty'), '')
  await writeFile(join(folder, 'read-only'), 'x', { mode: 0o444 })
  await writeFile(join(folder, 'large.bin'), Buffer.from(Array.from({ length: 5_000_001 }, (_, index) => (index * index) >> 3)))
  await symlink('../tricky/UPPER', join(folder, 'link'))
}
