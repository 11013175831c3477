<?php
/**
 * Applying one update.
 *
 * @package Svc\Connector
 */

namespace Svc\Connector;

/**
 * The verb `updates.apply`: core's own upgraders, one item at a time.
 * An update happened when the version in the files says so, never because an upgrader says so.
 */
final class Updates {

	const LOCK      = 'l.update';
	const LOCK_LIFE = 900; // Seconds; core gives its own lock the same.

	/**
	 * Version in the files before the run; null outside a run.
	 *
	 * @var string|null
	 */
	private static $before = null;

	/**
	 * Was the site in maintenance before we came.
	 *
	 * @var bool
	 */
	private static $maintained = false;

	/**
	 * The verb `updates.apply`.
	 *
	 * @param array<string,mixed> $params Job, fence, type, file, expect_version.
	 * @return array<string,mixed>
	 */
	public static function apply( array $params ): array {
		$job    = Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' );
		$type   = Verbs::text( $params, 'type', '/^(plugin|theme|core)$/D' );
		$file   = Verbs::text( $params, 'file', '/^[^\x00-\x1f\\\\]{1,255}$/D' );
		$expect = isset( $params['expect_version'] ) ? Verbs::text( $params, 'expect_version', '/^[^\x00-\x1f]{1,50}$/D' ) : '';
		if ( 0 !== validate_file( $file ) ) {
			throw new Problem( 'bad_request', 'That is not the file of a plugin or theme.' );
		}
		self::pass_fence( $job, Verbs::number( $params, 'fence', -1, 0, PHP_INT_MAX ) );
		if ( ! Rows::add( self::LOCK, $job, time() + self::LOCK_LIFE ) ) {
			throw new Problem( 'busy', 'Another update is running on this site.' );
		}
		try {
			return self::run( $type, $file, $expect );
		} finally {
			Rows::remove( self::LOCK );
		}
	}

	/** A worker that lost its job carries a lower number than the one that took over, and is refused. */
	private static function pass_fence( string $job, int $fence ): void {
		$row  = 'f.' . $job;
		$gone = time() + 7 * DAY_IN_SECONDS;
		if ( Rows::add( $row, (string) $fence, $gone ) ) {
			return;
		}
		if ( (int) Rows::get( $row ) > $fence ) {
			throw new Problem( 'fence', 'This job was taken over by another worker.' );
		}
		Rows::set( $row, (string) $fence, $gone );
	}

	/**
	 * Looks, updates, looks again.
	 *
	 * @return array<string,mixed>
	 */
	private static function run( string $type, string $file, string $expect ): array {
		Inventory::load_admin();
		require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
		$before = self::version( $type, $file );
		if ( null === $before ) {
			return self::result( 'failed', '', '', 'not_installed' );
		}
		$offer = self::offer( $type, $file, $expect );
		if ( null === $offer || ( '' !== $expect && $offer['version'] !== $expect ) ) {
			Inventory::refresh( array( 'core' === $type ? 'core' : $type . 's' ) );
			$offer = self::offer( $type, $file, $expect );
		}
		if ( ( '' !== $expect && $expect === $before ) || ( null === $offer && '' === $expect ) || ( null !== $offer && $offer['version'] === $before ) ) {
			return self::result( 'already_current', $before, $before );
		}
		if ( null === $offer || ( '' !== $expect && $offer['version'] !== $expect ) ) {
			return self::result( 'failed', $before, $before, 'not_offered' );
		}
		$obstacle = self::obstacle( $type, $file, $offer );
		if ( '' !== $obstacle ) {
			return self::result( 'failed', $before, $before, $obstacle );
		}
		return self::upgrade( $type, $file, $offer, $before );
	}

	/**
	 * Runs core's upgrader and judges by the files.
	 *
	 * @param array<string,mixed> $offer From offer().
	 * @return array<string,mixed>
	 */
	private static function upgrade( string $type, string $file, array $offer, string $before ): array {
		self::$before     = $before;
		self::$maintained = file_exists( ABSPATH . '.maintenance' );
		self::prepare();
		$was_active  = 'plugin' === $type && is_plugin_active( $file );
		$was_network = 'plugin' === $type && is_plugin_active_for_network( $file );
		$skin        = new \WP_Ajax_Upgrader_Skin();
		try {
			$answer = self::call_upgrader( $type, $file, $offer, $skin );
			if ( is_wp_error( $answer ) ) {
				$skin->error( $answer );
			}
		} catch ( \Throwable $error ) {
			$skin->error( new \WP_Error( 'svc_exception', get_class( $error ) . ': ' . $error->getMessage() ) );
		}
		if ( $was_active && ! is_plugin_active( $file ) && 0 === validate_plugin( $file ) ) {
			activate_plugin( $file, '', $was_network, true );
		}
		self::put_back( $type, $file );
		self::end_maintenance();
		$after        = (string) self::version( $type, $file );
		self::$before = null;
		$messages     = self::messages( $skin );
		if ( $after !== $before && $after === $offer['version'] ) {
			self::forget_offer( $type, $file );
			return self::result( 'updated', $before, $after, '', $messages );
		}
		$reason = Site::clip( wp_strip_all_tags( $skin->get_error_messages() ), 300 );
		if ( '' === $reason ) {
			$reason = $after === $before ? 'unchanged' : 'wrong_version';
		}
		return self::result( 'failed', $before, $after, $reason, $messages );
	}

	/**
	 * The bulk upgrader even for one plugin: the single one deactivates it.
	 *
	 * @param array<string,mixed> $offer From offer().
	 * @return mixed
	 */
	private static function call_upgrader( string $type, string $file, array $offer, \WP_Ajax_Upgrader_Skin $skin ) {
		if ( 'core' === $type ) {
			$upgrader = new \Core_Upgrader( $skin );
			return $upgrader->upgrade( $offer['core'] );
		}
		$upgrader = 'plugin' === $type ? new \Plugin_Upgrader( $skin ) : new \Theme_Upgrader( $skin );
		$results  = $upgrader->bulk_upgrade( array( $file ), array( 'clear_update_cache' => false ) );
		if ( false === $results ) {
			return new \WP_Error( 'svc_filesystem', 'WordPress cannot write to its own folders.' );
		}
		$answer = is_array( $results ) ? reset( $results ) : $results;
		if ( is_wp_error( $answer ) && method_exists( $upgrader, 'restore_temp_backup' ) ) {
			$upgrader->restore_temp_backup(); // Core would do it after we have judged.
		}
		return $answer;
	}

	/** When a run died between removing the old folder and writing the new one, the old one is still where core put it. */
	private static function put_back( string $type, string $file ): void {
		$folder = self::folder( $type, $file );
		$kept   = WP_CONTENT_DIR . '/upgrade-temp-backup/' . $type . 's/' . basename( $folder );
		if ( 'core' !== $type && null === self::version( $type, $file ) && ! file_exists( $folder ) && is_dir( $kept ) ) {
			rename( $kept, $folder ); // phpcs:ignore WordPress.WP.AlternativeFunctions -- WP_Filesystem may be what died.
		}
	}

	/** Time and memory for an upgrade, where the host lets us; and no questions to the update API after each item. */
	private static function prepare(): void {
		wp_raise_memory_limit( 'admin' );
		if ( function_exists( 'set_time_limit' ) ) {
			set_time_limit( 300 );
		}
		if ( function_exists( 'ignore_user_abort' ) ) {
			ignore_user_abort( true );
		}
		foreach ( array( 'wp_version_check', 'wp_update_plugins', 'wp_update_themes' ) as $question ) {
			remove_action( 'upgrader_process_complete', $question );
		}
	}

	/**
	 * What is on offer: version, requirements, package.
	 *
	 * @return array<string,mixed>|null
	 */
	private static function offer( string $type, string $file, string $expect ): ?array {
		if ( 'core' === $type ) {
			$core = Inventory::core_offer( $expect );
			return null === $core ? null : array(
				'version'      => (string) $core->version,
				'requires_wp'  => '',
				'requires_php' => (string) ( $core->php_version ?? '' ),
				'package'      => (string) ( $core->packages->full ?? $core->download ?? '' ),
				'core'         => $core,
			);
		}
		$offer = 'plugin' === $type ? Inventory::plugin_offer( $file ) : Inventory::theme_offer( $file );
		return null === $offer ? null : array(
			'version'      => (string) $offer->new_version,
			'requires_wp'  => (string) ( $offer->requires ?? '' ),
			'requires_php' => (string) ( $offer->requires_php ?? '' ),
			'package'      => (string) ( $offer->package ?? '' ),
		);
	}

	/**
	 * Why this update cannot be applied, or ''.
	 *
	 * @param array<string,mixed> $offer From offer().
	 */
	private static function obstacle( string $type, string $file, array $offer ): string {
		$folder = self::folder( $type, $file );
		if ( 'plugin' === $type && plugin_basename( FILE ) === $file ) {
			return 'connector_itself';
		}
		if ( ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			return 'file_mods_disallowed';
		}
		if ( '' === $offer['package'] ) {
			return 'no_package';
		}
		if ( ! is_wp_version_compatible( $offer['requires_wp'] ) ) {
			return 'needs_wordpress_' . $offer['requires_wp'];
		}
		if ( ! is_php_version_compatible( $offer['requires_php'] ) ) {
			return 'needs_php_' . $offer['requires_php'];
		}
		if ( 'direct' !== get_filesystem_method( array(), $folder ) ) {
			return 'filesystem_not_direct';
		}
		if ( ! wp_is_writable( $folder ) || ! wp_is_writable( dirname( $folder ) ) && 'core' !== $type ) {
			return 'not_writable';
		}
		$free = function_exists( 'disk_free_space' ) ? @disk_free_space( WP_CONTENT_DIR ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Unknown is no obstacle.
		if ( false !== $free && $free < ( 'core' === $type ? 300 : 50 ) * MB_IN_BYTES ) {
			return 'disk_full';
		}
		if ( 'core' === $type && (int) get_option( 'core_updater.lock' ) > time() - self::LOCK_LIFE ) {
			return 'core_update_running';
		}
		return '';
	}

	/** Folder that an update replaces. */
	private static function folder( string $type, string $file ): string {
		if ( 'core' === $type ) {
			return ABSPATH;
		}
		if ( 'theme' === $type ) {
			return get_theme_root( $file ) . '/' . $file;
		}
		return '.' === dirname( $file ) ? WP_PLUGIN_DIR : dirname( WP_PLUGIN_DIR . '/' . $file );
	}

	/** The version in the files now, past every cache; null when it is not installed. */
	private static function version( string $type, string $file ): ?string {
		clearstatcache();
		if ( 'core' === $type ) {
			return 'core' === $file ? Site::wp_version() : null;
		}
		$header = 'plugin' === $type ? WP_PLUGIN_DIR . '/' . $file : get_theme_root( $file ) . '/' . $file . '/style.css';
		if ( ! is_file( $header ) ) {
			return null;
		}
		$found = get_file_data( $header, array( 'version' => 'Version' ) );
		return trim( (string) $found['version'] );
	}

	/** What core would only learn from its next question: this update is no longer on offer. */
	private static function forget_offer( string $type, string $file ): void {
		if ( 'core' === $type ) {
			return; // Core compares versions itself.
		}
		if ( 'plugin' === $type ) {
			wp_clean_plugins_cache( false );
		} else {
			wp_clean_themes_cache( false );
		}
		$name  = 'plugin' === $type ? 'update_plugins' : 'update_themes';
		$known = get_site_transient( $name );
		if ( is_object( $known ) && isset( $known->response[ $file ] ) ) {
			unset( $known->response[ $file ] );
			set_site_transient( $name, $known );
		}
	}

	/** A run that ends in any way leaves no .maintenance behind that was not there before. */
	private static function end_maintenance(): void {
		$path = ABSPATH . '.maintenance';
		if ( ! self::$maintained && file_exists( $path ) ) {
			wp_delete_file( $path );
		}
	}

	/**
	 * When other code ended the run.
	 *
	 * @param array<string,mixed> $params As they arrived; checked when the run began.
	 * @return array<string,mixed>|null
	 */
	public static function cut_short( array $params, string $message ): ?array {
		if ( null === self::$before ) {
			return null;
		}
		self::put_back( $params['type'], $params['file'] );
		self::end_maintenance();
		Rows::remove( self::LOCK );
		if ( 'core' === $params['type'] ) {
			delete_option( 'core_updater.lock' );
		}
		return self::result( 'failed', self::$before, (string) self::version( $params['type'], $params['file'] ), Site::clip( 'ended: ' . str_replace( ABSPATH, '', $message ), 300 ) );
	}

	/**
	 * Result of one item.
	 *
	 * @param string[] $messages What core said on the way.
	 * @return array<string,mixed>
	 */
	private static function result( string $status, string $from, string $to, string $reason = '', array $messages = array() ): array {
		$result = array(
			'status'       => $status,
			'from_version' => Site::clip( $from, 50 ),
			'to_version'   => Site::clip( $to, 50 ),
			'messages'     => $messages,
		);
		return '' === $reason ? $result : $result + array( 'reason' => $reason );
	}

	/**
	 * What core said on the way, as plain text.
	 *
	 * @return string[]
	 */
	private static function messages( \WP_Ajax_Upgrader_Skin $skin ): array {
		$texts = array();
		foreach ( array_slice( (array) $skin->get_upgrade_messages(), 0, 30 ) as $message ) {
			$text = Site::clip( trim( html_entity_decode( wp_strip_all_tags( (string) $message ), ENT_QUOTES, 'UTF-8' ) ), 300 );
			if ( '' !== $text ) {
				$texts[] = $text;
			}
		}
		return $texts;
	}
}
