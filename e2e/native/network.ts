// A native site made the main site of a network, with a second one below it.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NativeSite } from './fleet.ts'

/** Lines of nginx for the site at `/sub`. */
export const BELOW = 'rewrite ^/sub(/wp-(?:admin|content|includes|login).*)$ $1 last;'

/** Everybody's password is `password`: `sub` administers only the second site, `local` only the main one, `second` the network. */
export async function makeNetwork(native: NativeSite): Promise<void> {
  const config = join(native.dir, 'wp-config.php')
  const network = {
    ...{ MULTISITE: true, SUBDOMAIN_INSTALL: false, PATH_CURRENT_SITE: '/', SITE_ID_CURRENT_SITE: 1, BLOG_ID_CURRENT_SITE: 1 },
    DOMAIN_CURRENT_SITE: new URL(native.url).host,
  }
  const plain = (await readFile(config, 'utf8')).replace(/^define\( 'WP_(HOME|SITEURL)'.*\n/gm, '')
  await writeFile(config, plain)
  await native.wpCli(['core', 'multisite-convert', '--title=Network', '--skip-config'])
  const lines = Object.entries(network).map(
    ([name, value]) => `define( '${name}', ${typeof value === 'string' ? `'${value}'` : value} );\n`,
  )
  await writeFile(
    config,
    plain.replace('$table_prefix', () => `${lines.join('')}$table_prefix`),
  )
  await native.wpCli(['site', 'create', '--slug=sub', '--email=sub@example.invalid'])
  await native.wpCli(['user', 'update', 'sub', '--user_pass=password', '--skip-email'])
  for (const login of ['local', 'second'])
    await native.wpCli(['user', 'create', login, `${login}@example.invalid`, '--role=administrator', '--user_pass=password'])
  await native.wpCli(['super-admin', 'add', 'second'])
}
