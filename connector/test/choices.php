<?php
/**
 * What the inventory tells of administrators and settings: everybody who may do everything, by number and login alone, or that not all are known; and no address.
 *
 *   php choices.php
 *
 * @package SvcConnector
 */

namespace SvcConnector;

define( 'ABSPATH', sys_get_temp_dir() . '/' );

// phpcs:disable -- Stand-ins for what WordPress has.
require __DIR__ . '/options.php';
function is_multisite(): bool { return $GLOBALS['network']; }
function get_super_admins(): array { return array( 'root' ); }
function get_user_by( string $field, string $login ): object { return (object) array( 'data' => person( 99, $login ), 'ID' => 99 ); }
function get_site_option( string $name, $default = false ) { return 'registration' === $name ? 'user' : $default; }
function esc_sql( string $text ): string { return addslashes( $text ); }
function wp_check_invalid_utf8( string $text ): string { return $text; }
function wp_roles(): object {
	return (object) array( 'roles' => array( 'administrator' => array( 'capabilities' => array( 'manage_options' => true ) ), 'keeper' => array( 'capabilities' => array( 'promote_users' => true ) ), 'editor' => array( 'capabilities' => array( 'edit_posts' => true ) ) ) );
}
function person( int $id, string $login ): object { return (object) array( 'ID' => (string) $id, 'user_login' => $login, 'user_nicename' => 'nice', 'user_registered' => '2026-01-01 00:00:00' ); }
// phpcs:enable
require __DIR__ . '/load.php';

$network = false;
$wpdb    = new class() {
	public $users    = 'wp_users';
	public $usermeta = 'wp_usermeta';
	public $rows     = array();
	public $asked    = '';
	// phpcs:disable
	public function get_blog_prefix() { return 'wp_'; }
	public function esc_like( $text ) { return $text; }
	public function prepare( $sql, $value ) { return str_replace( '%s', "'$value'", $sql ); }
	public function get_results( $sql ) { $this->asked = $sql; return $this->rows; }
	// phpcs:enable
};

$checks = 0;
$wrong  = 0;
$check  = static function ( bool $right, string $what ) use ( &$checks, &$wrong ): void {
	++$checks;
	if ( ! $right ) {
		++$wrong;
		echo "WRONG  $what\n";
	}
};

$options    = array(
	'siteurl'             => 'https://site.example/wp',
	'home'                => 'https://site.example',
	'users_can_register'  => '0',
	'default_role'        => 'subscriber',
	'admin_email'         => 'Eve@Site.example',
	'blog_public'         => '0',
	'permalink_structure' => '/%postname%/',
);
$wpdb->rows = array( person( 1, 'eve' ), person( 7, 'mallory' ) );
$told       = Choices::told();
$settings   = array(
	'siteurl'             => 'https://site.example/wp',
	'home'                => 'https://site.example',
	'users_can_register'  => false,
	'default_role'        => 'subscriber',
	'admin_email'         => substr( hash( 'sha256', 'admin_email eve@site.example' ), 0, 32 ),
	'blog_public'         => false,
	'permalink_structure' => '/%postname%/',
);
$check( array( array( 'id' => 1, 'login' => 'eve' ), array( 'id' => 7, 'login' => 'mallory' ) ) === $told['admins'], 'administrators are told by number and login alone' );
$check( $settings === $told['settings'], 'settings are told as they are' );
$check( false === strpos( strtolower( (string) json_encode( $told ) ), 'eve@' ), 'no address leaves the site' );
$check( false !== strpos( $wpdb->asked, '"keeper";b:1' ) && false === strpos( $wpdb->asked, '"editor";b:1' ), 'a role that may make administrators counts as one' );

$options['blog_public'] = '1';
$options['admin_email'] = 'mallory@site.example';
$other                  = Choices::told()['settings'];
$check( true === $other['blog_public'] && $settings['admin_email'] !== $other['admin_email'], 'what changed is told otherwise' );

$wpdb->rows = array();
$check( null === Choices::told()['admins'], 'a database that tells nobody does not say that nobody is left' );
$wpdb->rows = array_map( static fn( int $id ): object => person( $id, "user$id" ), range( 1, Security::MOST ) );
$check( count( (array) Choices::told()['admins'] ) === Security::MOST, 'as many as are told are all told' );
$wpdb->rows[] = person( 9999, 'more' );
$check( null === Choices::told()['admins'], 'of more than are told none is' );

$network    = true;
$wpdb->rows = array( person( 1, 'eve' ) );
$told       = Choices::told();
$check( array( 'eve', 'root' ) === array_column( (array) $told['admins'], 'login' ), 'those of the whole network count' );
$check( true === $told['settings']['users_can_register'], 'in a network its own setting decides who may register' );

echo "$checks checks: $wrong wrong\n";
exit( 0 === $wrong ? 0 : 1 );
