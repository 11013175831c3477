<?php
/**
 * Plugin Name:       Svc Connector
 * Description:       Lets one management service look after this site: inventory, updates, backups and one-click login, over signed requests only.
 * Version:           0.1.0
 * Author:            The contributors of Svc Connector
 * Requires at least: 5.9
 * Requires PHP:      7.4
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Update URI:        false
 * Text Domain:       svc-connector
 *
 * @package SvcConnector
 */

namespace SvcConnector;

defined( 'ABSPATH' ) || exit;

const VERSION = '0.1.0';
const FILE    = __FILE__;

require_once __DIR__ . '/src/wire/autoload.php'; // The must-use file may have been here.
register_activation_hook( __FILE__, array( Plugin::class, 'activate' ) );
register_deactivation_hook( __FILE__, array( Plugin::class, 'deactivate' ) );
Plugin::start();
