// Sites whose files do not all lie in WordPress's folder, as agencies and hosts have them. Made of a fresh site of the fleet, before it is paired.
import { dirname, join } from 'node:path'
import { run } from '../../demo/npm.ts'
import type { NativeSite } from './fleet.ts'
import { filesOf } from './site-state.ts'

export type Layout = 'shared' | 'setting' | 'core' | 'bedrock'

/** Everything of a site: WordPress and what lies beside it. */
export const placeOf = (site: NativeSite) => (site.dir.endsWith('/www') ? dirname(site.dir) : dirname(dirname(site.dir)))

const OURS = /(^|\/)(svc-connector(-work)?|\.svc-connector-[0-9a-f]+)(\/|$)|^(tmp|log)(\/|$)/

/** All files of a site wherever they lie, without the connector's own. */
export async function everyFileOf(site: NativeSite): Promise<Record<string, string>> {
  const all = Object.entries(await filesOf(placeOf(site)))
  return Object.fromEntries(all.filter(([path]) => !OURS.test(path)))
}

/** Runs a script in the folder of the site, and gives what it made to the web user. */
export async function sh(site: NativeSite, script: string): Promise<void> {
  const cwd = placeOf(site)
  await run('sh', ['-ec', script], { cwd })
  await run('chown', ['-Rh', 'www-data:', cwd])
}

const FILES =
  'mkdir -p "$1/2025/01" "$1/2026/02"; for n in 1 2 3 4; do echo "picture $n" > "$1/2025/01/$n.jpg"; echo "young $n" > "$1/2026/02/$n.jpg"; done; chmod 2775 "$1"; chmod 750 "$1/2025"'
const fill = (folder: string) => `fill() { ${FILES}; }; fill ${folder}`

const SCRIPTS: Record<Layout, string> = {
  // What Deployer and Capistrano make: uploads, a file and a plugin on storage that every release links to; links in, out, within and to nothing.
  shared: `${fill('shared/uploads')}; mkdir -p archive/2019 shared/plugins/own www/wp-content; echo old > archive/2019/old.jpg
    echo '<?php // own' > shared/plugins/own/own.php; echo 'User-agent: *' > shared/robots.txt
    rm -rf www/wp-content/uploads; ln -s ../../shared/uploads www/wp-content/uploads
    ln -s "$PWD/shared/plugins/own" www/wp-content/plugins/own; ln -s ../shared/robots.txt www/robots.txt
    ln -s "$PWD/archive/2019" shared/uploads/2019; ln -s 2026/02/1.jpg shared/uploads/newest.jpg
    ln -s nowhere www/dangling; mkdir -p www/deep/er secret; echo s > secret/s.txt; ln -s "$PWD/secret" www/deep/er/out`,
  setting: `${fill('media')}; rm -rf www/wp-content/uploads`,
  core: `cd www; mkdir core; for f in *; do [ "$f" = core ] || mv "$f" core/; done; mv core/wp-config.php .
    sed "s#/wp-blog-header#/core/wp-blog-header#" core/index.php > index.php; sed -i "s#\\(WP_SITEURL', *'[^']*\\)'#\\1/core'#" wp-config.php
    echo 'User-agent: *' > robots.txt; echo google > google123.html; mkdir -p assets other/wp-includes
    echo css > assets/site.css; echo '<?php' > other/wp-load.php; echo theirs > other/theirs.txt; mkdir -p core/wp-content/uploads; echo u > core/wp-content/uploads/u.txt`,
  bedrock: `mkdir -p www/wp config/environments vendor/acme; cd www; for f in *; do [ "$f" = wp ] || mv "$f" wp/; done
    mv wp/wp-content app; sed "s#/wp-blog-header#/wp/wp-blog-header#" wp/index.php > index.php
    sed -e "s#\\(WP_SITEURL', *'[^']*\\)'#\\1/wp'#" -e '/wp-settings/d' -e '/ABSPATH/d' wp/wp-config.php > ../config/application.php; rm wp/wp-config.php
    cd ..; echo "define( 'WP_CONTENT_DIR', dirname( __DIR__ ) . '/www/app' ); define( 'WP_CONTENT_URL', WP_HOME . '/app' );" >> config/application.php
    echo '<?php // loads' > vendor/autoload.php; echo '<?php // code' > vendor/acme/code.php
    printf "<?php\\nrequire dirname( __DIR__ ) . '/vendor/autoload.php'; require dirname( __DIR__ ) . '/config/application.php';\\nrequire ABSPATH . 'wp-settings.php';\\n" > www/wp-config.php
    echo '{"name": "acme/site"}' > composer.json; echo '{}' > composer.lock; echo 'SECRET=1' > .env; echo '<?php' > config/environments/production.php
    mkdir -p private; echo mail > private/mail.txt; mkdir -p www/app/uploads/2026; echo p > www/app/uploads/2026/p.jpg`,
}

/** Where WordPress lies below the web server's folder. */
const CORE: Partial<Record<Layout, string>> = { core: 'core', bedrock: 'wp' }

/** Arranges a fresh site so. */
export async function arrange(site: NativeSite, layout: Layout): Promise<NativeSite> {
  await sh(site, SCRIPTS[layout])
  const core = CORE[layout]
  const dir = core === undefined ? site.dir : join(site.dir, core)
  const url = core === undefined ? site.url : `${site.url}/${core}` // By which the service knows it.
  const moved: NativeSite = { ...site, dir, url, wpCli: (args) => site.wpCli([`--path=${dir}`, ...args]) }
  if (layout === 'setting') await moved.wpCli(['option', 'update', 'upload_path', join(placeOf(site), 'media')])
  return moved
}
