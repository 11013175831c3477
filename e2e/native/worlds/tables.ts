// What databases hold beside plain tables of one WordPress.
import { join } from 'node:path'
import { run } from '../../../demo/npm.ts'
import { destroy } from '../accident.ts'
import { importSql } from '../mariadb.ts'
import { BELOW, makeNetwork } from '../network.ts'
import { linkUploads, lostPictures, pictures } from './places.ts'
import { finished, pair } from './walk.ts'
import type { Ground, Paired, World } from './world.ts'

const site = { wp: '7.1.1', db: 'mariadb' } as const
const sql =
  (...statements: string[]) =>
  (ground: Ground) =>
    ground.sql(statements.join(';\n'))

/** Files of every kind are destroyed, and of the database this. */
const destroyed =
  (...statements: string[]) =>
  async (ground: Paired) => {
    await destroy(ground.one, 'files', statements.length, { each: 9 })
    await sql(...statements)(ground)
  }

const imported =
  (file: string) =>
  ({ fleet, native }: Ground) =>
    importSql(fleet.dir, String(native.database), join(import.meta.dirname, file))

/** What WooCommerce's installer adds to one of its tables. */
const WOOCOMMERCE = [
  'CREATE TABLE wp_woocommerce_downloadable_product_permissions (permission_id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, product_id bigint unsigned NOT NULL, order_key varchar(200) NOT NULL)',
  'CREATE TABLE wp_wc_download_log (download_log_id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, timestamp datetime NOT NULL, permission_id bigint unsigned NOT NULL, user_ip_address varchar(100) NULL DEFAULT "", KEY permission_id (permission_id), CONSTRAINT fk_wp_wc_download_log_permission_id FOREIGN KEY (permission_id) REFERENCES wp_woocommerce_downloadable_product_permissions (permission_id) ON DELETE CASCADE)',
  'INSERT INTO wp_woocommerce_downloadable_product_permissions VALUES (1, 10, "wc_1"), (2, 11, "wc_2")',
  'INSERT INTO wp_wc_download_log VALUES (1, "2026-11-01 10:00:00", 1, "192.0.2.1"), (2, "2026-11-02 10:00:00", 2, NULL)',
]

async function asNetwork({ native }: Ground): Promise<void> {
  await makeNetwork(native)
  await native.wpCli(['site', 'create', '--slug=third', '--email=third@example.invalid'])
}

const uploadsOfSites = ({ sh }: Ground) =>
  sh('for n in sites/2/2026/11 sites/3/2026/11 2026/11; do mkdir -p "$content/uploads/$n"; echo "of $n" >"$content/uploads/$n/a.jpg"; done')

/** Of the main site and of both below it. */
const LOST_OF_NETWORK = [
  'DELETE FROM wp_posts',
  'DELETE FROM wp_sitemeta WHERE meta_key = "site_name"',
  'DROP TABLE wp_2_posts',
  'UPDATE wp_2_options SET option_value = "spoiled" WHERE option_name = "blogname"',
  'DROP TABLE wp_2_terms',
  'TRUNCATE wp_3_posts',
  'DROP TABLE wp_3_options',
]

/** The other site has a restore behind it that can still be undone. */
async function neighbourWithWayBack({ house, fleet, beside: [native], ...ground }: Paired): Promise<void> {
  if (!native) return
  const site = await pair({ house, native })
  const other = { ...ground, house, fleet, native, beside: [], one: { native, site, database: native.database, fleet: fleet.dir } }
  await finished(other, 'backups', { type: 'db' })
  const [backup] = await house.ask<{ id: string }[]>('GET', `/sites/${site.id}/backups`)
  await finished(other, `backups/${backup?.id}/restore`, { safety_backup: false })
}

export const tables: World[] = [
  {
    name: 'tables of every kind, and other programs',
    site,
    plant: async (ground) => {
      await imported('../types.sql')(ground)
      await imported('odd-tables.sql')(ground)
    },
    meanwhile: sql('INSERT INTO shop_orders VALUES (NULL, "after the backup")', 'DROP TABLE _shop', 'INSERT INTO WP_7X_UPPER VALUES (2)'),
  },
  {
    name: 'a database that writes all names in small letters',
    site: { ...site, prefix: 'WPxy_' },
    smallNames: true,
    meanwhile: sql('DROP TABLE wpxy_links', 'CREATE TABLE WPxy_later (id int)'),
  },
  {
    name: 'two WordPress in one database',
    site,
    beside: [{ ...site, sharesDatabaseOf: 0, prefix: 'wp_b_' }],
    plant: neighbourWithWayBack,
  },
  {
    name: 'the second of two in one database',
    site: { ...site, sharesDatabaseOf: 1, prefix: 'wp_b_' },
    beside: [site],
    plant: neighbourWithWayBack,
  },
  {
    name: 'foreign keys of WooCommerce',
    site,
    plant: sql(...WOOCOMMERCE),
    destroy: destroyed(
      'DELETE FROM wp_woocommerce_downloadable_product_permissions',
      'DROP TABLE wp_wc_download_log',
      'DELETE FROM wp_posts',
    ),
  },
  {
    name: 'a shop with its uploads on another disk, and a neighbour in its database',
    site,
    beside: [{ ...site, sharesDatabaseOf: 0, prefix: 'wp_b_' }],
    lay: async ({ place, sh }) => {
      await sh('mkdir shared')
      await run('mount', ['-t', 'tmpfs', '-o', 'uid=33,gid=33,mode=755', 'tmpfs', join(place, 'shared')])
      await sh(linkUploads)
    },
    record: {
      roots: ['shared/uploads'],
      database: ['Another WordPress lives in the same database; its tables, with the prefix wp_b_, are left alone.'],
    },
    plant: async (ground) => {
      await sql(...WOOCOMMERCE)(ground)
      await pictures('shared/uploads')(ground)
      await ground.sh('mkdir -p "shared/uploads/$(date +%Y/%m)"') // WordPress makes it for this month.
    },
    destroy: async (ground) => {
      await sql(
        'DROP TABLE wp_wc_download_log',
        'DELETE FROM wp_woocommerce_downloadable_product_permissions',
        'DELETE FROM wp_posts',
      )(ground)
      await lostPictures('shared/uploads')(ground)
      await ground.sh('rm -r www/wp-admin/includes www/wp-includes/blocks www/wp-content/themes')
    },
    leave: async ({ dir }) => run('umount', ['--lazy', join(dir, 'site1/shared')]).catch(() => undefined),
    common: true,
  },
  // With the checks of keys switched off, as an import does it, so that the way back has to make a key that holds nothing.
  {
    name: 'what a foreign key leads to was replaced',
    site,
    // The undo goes through, without the key: the database refuses to make it again as it was left.
    undoLacks: {
      table: 'wp_wc_download_log',
      said: /key, trigger, view or event fk_wp_wc_download_log_permission_id could not be made again/,
    },
    plant: sql(...WOOCOMMERCE),
    destroy: destroyed(
      'SET foreign_key_checks = 0',
      'DROP TABLE wp_woocommerce_downloadable_product_permissions',
      'CREATE TABLE wp_woocommerce_downloadable_product_permissions (id int)',
      'DELETE FROM wp_posts',
    ),
  },
  {
    name: 'another program’s foreign key points in',
    site,
    plant: sql(
      'CREATE TABLE shop_orders (id int PRIMARY KEY, buyer bigint unsigned, FOREIGN KEY (buyer) REFERENCES wp_users (ID) ON DELETE SET NULL)',
      'INSERT INTO shop_orders VALUES (1, 1)',
    ),
    meanwhile: sql('INSERT INTO wp_users (ID, user_login) VALUES (77, "later")', 'INSERT INTO shop_orders VALUES (3, 77)'),
    warned: /By the key shop_orders_ibfk_1, 1 row of the table refers to what is not there as the site is now: shop_orders\./,
    destroy: destroyed('UPDATE wp_users SET user_login = "spoiled"', 'DELETE FROM wp_posts', 'DROP TABLE wp_links'),
    atLast: sql('INSERT INTO shop_orders VALUES (2, 1)', 'DELETE FROM shop_orders WHERE id = 2'),
  },
  {
    name: 'triggers',
    site,
    plant: sql(
      'CREATE TABLE wp_log (id int PRIMARY KEY AUTO_INCREMENT, what varchar(50))',
      'CREATE TRIGGER wp_posts_logged AFTER INSERT ON wp_posts FOR EACH ROW INSERT INTO wp_log (what) VALUES (concat("post ", NEW.ID))',
      'CREATE TRIGGER wp_users_plain BEFORE UPDATE ON wp_users FOR EACH ROW SET NEW.user_url = lower(NEW.user_url)',
    ),
  },
  {
    name: 'views that are lost',
    site,
    plant: sql(
      'CREATE VIEW wp_published AS SELECT ID, post_title FROM wp_posts WHERE post_status = "publish"',
      'CREATE VIEW wp_titles AS SELECT post_title FROM wp_published',
    ),
    harm: sql('DROP VIEW wp_published', 'DROP VIEW wp_titles'),
  },
  {
    name: 'a network of three sites in folders',
    site: { ...site, nginx: BELOW },
    lay: asNetwork,
    plant: uploadsOfSites,
    destroy: destroyed(...LOST_OF_NETWORK),
    common: true,
  },
  {
    name: 'a network of three sites that does not start',
    site: { ...site, nginx: BELOW },
    lay: asNetwork,
    plant: uploadsOfSites,
    destroy: async (ground) => {
      await sql(...LOST_OF_NETWORK)(ground)
      await ground.sh('rm -r "$core/wp-includes" "$content/uploads/sites/2"; echo spoiled >"$content/uploads/sites/3/2026/11/a.jpg"')
    },
  },
]
