<?php
/**
 * Plugin Name:       Svc Connector
 * Description:       Lets one management service look after this site: inventory, updates, backups and one-click login, over signed requests only.
 * Version:           0.1.0
 * Requires at least: 5.9
 * Requires PHP:      7.4
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Update URI:        false
 * Text Domain:       svc-connector
 *
 * @package Svc\Connector
 */

namespace Svc\Connector;

defined( 'ABSPATH' ) || exit;

const VERSION = '0.1.0';
const FILE    = __FILE__;

spl_autoload_register(
	static function ( string $name ): void {
		static $files = array(
			'Svc\Connector\Answer'    => 'class-answer.php',
			'Svc\Connector\Attempts'  => 'class-attempts.php',
			'Svc\Connector\Blocks'    => 'class-blocks.php',
			'Svc\Connector\Budget'    => 'class-budget.php',
			'Svc\Connector\Cli'       => 'class-cli.php',
			'Svc\Connector\Copier'    => 'class-copier.php',
			'Svc\Connector\Database'  => 'class-database.php',
			'Svc\Connector\Digest'    => 'class-digest.php',
			'Svc\Connector\Digests'   => 'class-digests.php',
			'Svc\Connector\Door'      => 'class-door.php',
			'Svc\Connector\Dump'      => 'class-dump.php',
			'Svc\Connector\Effects'   => 'class-effects.php',
			'Svc\Connector\Enrolment' => 'class-enrolment.php',
			'Svc\Connector\Exchange'  => 'class-exchange.php',
			'Svc\Connector\Gate'      => 'class-gate.php',
			'Svc\Connector\Handle'    => 'class-handle.php',
			'Svc\Connector\Hardening' => 'class-hardening.php',
			'Svc\Connector\Guard'     => 'class-guard.php',
			'Svc\Connector\Identity'  => 'class-identity.php',
			'Svc\Connector\Incoming'  => 'class-incoming.php',
			'Svc\Connector\Install'   => 'class-install.php',
			'Svc\Connector\Integrity' => 'class-integrity.php',
			'Svc\Connector\Inventory' => 'class-inventory.php',
			'Svc\Connector\Item'      => 'class-item.php',
			'Svc\Connector\Journal'   => 'class-journal.php',
			'Svc\Connector\Leftovers' => 'class-leftovers.php',
			'Svc\Connector\Listing'   => 'class-listing.php',
			'Svc\Connector\Lite'      => 'class-lite.php',
			'Svc\Connector\Loading'   => 'class-loading.php',
			'Svc\Connector\Login'     => 'class-login.php',
			'Svc\Connector\Offers'    => 'class-offers.php',
			'Svc\Connector\Plan'      => 'class-plan.php',
			'Svc\Connector\Plugin'    => 'class-plugin.php',
			'Svc\Connector\Privacy'   => 'class-privacy.php',
			'Svc\Connector\Probe'     => 'class-probe.php',
			'Svc\Connector\Problem'   => 'class-problem.php',
			'Svc\Connector\Reading'   => 'class-reading.php',
			'Svc\Connector\Replace'   => 'class-replace.php',
			'Svc\Connector\Restore'   => 'class-restore.php',
			'Svc\Connector\Rights'    => 'class-rights.php',
			'Svc\Connector\Root'      => 'class-root.php',
			'Svc\Connector\Rows'      => 'class-rows.php',
			'Svc\Connector\Salts'     => 'class-salts.php',
			'Svc\Connector\Security'  => 'class-security.php',
			'Svc\Connector\Session'   => 'class-session.php',
			'Svc\Connector\Settings'  => 'class-settings.php',
			'Svc\Connector\Sights'    => 'class-sights.php',
			'Svc\Connector\Site'      => 'class-site.php',
			'Svc\Connector\Snapshot'  => 'class-snapshot.php',
			'Svc\Connector\Staging'   => 'class-staging.php',
			'Svc\Connector\Survey'    => 'class-survey.php',
			'Svc\Connector\Swap'      => 'class-swap.php',
			'Svc\Connector\Table'     => 'class-table.php',
			'Svc\Connector\Tables'    => 'class-tables.php',
			'Svc\Connector\Tweaks'    => 'class-tweaks.php',
			'Svc\Connector\Upgrade'   => 'class-upgrade.php',
			'Svc\Connector\Updates'   => 'class-updates.php',
			'Svc\Connector\Verbs'     => 'class-verbs.php',
			'Svc\Connector\Weight'    => 'class-weight.php',
			'Svc\Connector\Wire'      => 'class-wire.php',
		);
		if ( isset( $files[ $name ] ) ) {
			require __DIR__ . '/src/' . $files[ $name ];
		}
	}
);

register_activation_hook( __FILE__, array( Plugin::class, 'activate' ) );
register_deactivation_hook( __FILE__, array( Plugin::class, 'deactivate' ) );
Plugin::start();
