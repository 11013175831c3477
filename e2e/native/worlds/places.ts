// Where hosts and agencies put WordPress and its uploads.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ground, World } from './world.ts'

const site = { wp: '7.1.1', db: 'mariadb' } as const

/** A picture for each month, in a folder below the site's place. */
export const pictures =
  (folder: string) =>
  ({ sh }: Ground) =>
    sh(`for month in 01 02 03; do mkdir -p ${folder}/2026/$month; head -c 70000 /dev/urandom >${folder}/2026/$month/harbour.jpg; done`)
export const lostPictures =
  (folder: string) =>
  ({ sh }: Ground) =>
    sh(`rm -r ${folder}/2026/01; echo spoiled >${folder}/2026/02/harbour.jpg; echo '<?php // stranger' >${folder}/stranger.php`)

export const linkUploads = 'rm -rf "$content/uploads"; mkdir -p shared/uploads; ln -s "$PWD/shared/uploads" "$content/uploads"'

/** The document root is a link to the newest of several releases, which link to what they share. */
const release = `mkdir -p releases/6 shared; echo old >releases/6/index.php; mv www releases/7; ln -s releases/7 www
  mv releases/7/wp-config.php shared/; ln -s ../../shared/wp-config.php releases/7/wp-config.php; ${linkUploads}`

/** Once everything is loaded, as a theme does it. */
const LATE_FILTER =
  '<?php add_action( "init", function () { add_filter( "upload_dir", function ( $dir ) { return array_merge( $dir, array( "basedir" => dirname( ABSPATH ) . "/cdn" ) ); } ); } );'

/** Configuration beside the document root, as Bedrock has it; wp-config.php only calls it. */
async function asBedrock({ native, place, sh }: Ground): Promise<void> {
  const config = join(native.dir, 'wp-config.php')
  const lines = (await readFile(config, 'utf8')).split('\n').filter((line) => !/ABSPATH|wp-settings/.test(line))
  await sh('mkdir -p config/environments vendor/composer; echo "<?php" >vendor/autoload.php; echo "DB_NAME=harbour" >.env')
  await sh("echo '{}' >composer.json; echo '<?php // production' >config/environments/production.php")
  await writeFile(join(place, 'config/application.php'), lines.join('\n'))
  await writeFile(
    config,
    `<?php\nrequire_once dirname( __DIR__ ) . '/config/application.php';\ndefined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/wp/' );\nrequire_once ABSPATH . 'wp-settings.php';\n`,
  )
}

export const places: World[] = [
  { name: 'as it comes', site, thorough: true },
  { name: 'WordPress 6.1.9', site: { wp: '6.1.9', db: 'mariadb' } },
  { name: 'wp-config.php one folder above', site, lay: ({ sh }) => sh('mv www/wp-config.php .') },
  {
    name: 'core in a folder of its own',
    site: { ...site, core: 'core' },
    plant: ({ sh }) =>
      sh("echo 'User-agent: *' >www/robots.txt; echo '# rules' >www/.htaccess; mkdir www/fonts; echo f >www/fonts/a.woff2"),
    harm: ({ sh }) => sh('rm -r www/robots.txt www/index.php www/fonts; echo "# spoiled" >www/.htaccess'),
  },
  {
    name: 'core and content each in a folder',
    site: { ...site, core: 'core', content: 'content' },
    harm: ({ sh }) => sh('echo "<?php // spoiled" >www/index.php'),
  },
  {
    name: 'laid out as Bedrock does',
    site: { ...site, core: 'wp', content: 'app' },
    lay: asBedrock,
    harm: ({ sh }) => sh('rm -r vendor/composer composer.json; echo "<?php // spoiled" >config/environments/production.php'),
  },
  {
    name: 'uploads are a link to shared storage',
    site,
    record: { roots: ['shared/uploads'] },
    lay: ({ sh }) => sh(linkUploads),
    plant: pictures('shared/uploads'),
    harm: async (ground) => {
      await ground.sh(linkUploads)
      await lostPictures('shared/uploads')(ground)
    },
  },
  {
    name: 'uploads were a link, which is lost too',
    site,
    lay: ({ sh }) => sh(linkUploads),
    plant: pictures('shared/uploads'),
    harm: async (ground) => {
      await lostPictures('shared/uploads')(ground)
      await ground.sh('rm -rf "$content/uploads"')
    },
  },
  {
    name: 'uploads where upload_path says',
    site,
    lay: ({ native, place, sh }) => sh('mkdir media').then(() => native.wpCli(['option', 'update', 'upload_path', join(place, 'media')])),
    plant: pictures('media'),
    harm: lostPictures('media'),
  },
  {
    name: 'uploads where UPLOADS says',
    site: { ...site, constants: { UPLOADS: '../media' } },
    lay: ({ sh }) => sh('mkdir media'),
    plant: pictures('media'),
    harm: lostPictures('media'),
  },
  {
    name: 'releases with links to what they share',
    site,
    lay: ({ sh }) => sh(release),
    plant: pictures('shared/uploads'),
    harm: async (ground) => {
      await ground.sh(linkUploads)
      await lostPictures('shared/uploads')(ground)
    },
    beyond: ['www', 'releases/6'],
    untouched: ({ place }) => [join(place, 'releases/6')],
  },
  {
    name: 'uploads that a theme leads elsewhere',
    site,
    lay: ({ sh }) => sh(`mkdir -p cdn "$content/mu-plugins"; echo '${LATE_FILTER}' >"$content/mu-plugins/cdn.php"`),
    plant: pictures('cdn'),
    harm: lostPictures('cdn'),
    record: { roots: ['cdn'] },
  },
  {
    name: 'another WordPress in a folder below',
    site,
    beside: [site],
    // Its files are moved into the first one's document root; only its tables lie elsewhere.
    lay: ({ beside: [other], sh }) => sh(`cp -a '${other?.dir}' www/blog`),
    meanwhile: ({ sh }) => sh("echo '<?php // newer' >www/blog/wp-content/newer.php; rm www/blog/license.txt"),
    untouched: ({ place }) => [join(place, 'www/blog')],
    omits: ['www/blog'],
    spared: 'blog',
  },
]
