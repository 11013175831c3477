<?php
// Applying one update.
namespace Svc\Connector;

/**
 * The verb `updates.apply`: core's own upgraders, one item at a time.
 * An update happened when the version in the files says so, never because an upgrader says so.
 */
final class Updates {

	const LOCK      = 'l.update';
	const LOCK_LIFE = 900; // Seconds; core gives its own lock the same.

	/** @var string|null Version in the files before the run; null outside a run. */
	private static $before = null;

	/** @var bool Do we hold the lock. */
	private static $locked = false;

	/** @var bool Was the site in maintenance before we came. */
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
		if ( ! isset( $params['fence'] ) ) {
			throw new Problem( 'bad_request', 'Parameter fence is missing.' );
		}
		Rows::pass_fence( $job, Verbs::number( $params, 'fence', 0, 0, PHP_INT_MAX ) );
		if ( ! Rows::add( self::LOCK, $job, time() + self::LOCK_LIFE ) ) {
			throw new Problem( 'busy', 'Another update is running on this site.' );
		}
		self::$locked = true;
		try {
			return self::run( $type, $file, $expect );
		} finally {
			Rows::remove( self::LOCK );
			self::$locked = false;
		}
	}

	/**
	 * Looks, updates, looks again.
	 *
	 * @return array<string,mixed>
	 */
	private static function run( string $type, string $file, string $expect ): array {
		Inventory::load_admin();
		require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
		$item   = new Item( $type, $file );
		$before = $item->version();
		if ( null === $before ) {
			return self::result( 'failed', '', '', 'not_installed' );
		}
		$offer = Offers::find( $type, $file, $expect );
		if ( null === $offer || ( '' !== $expect && $offer['version'] !== $expect ) ) {
			Offers::refresh( array( 'core' === $type ? 'core' : $type . 's' ) );
			$offer = Offers::find( $type, $file, $expect );
		}
		if ( ( '' !== $expect && $expect === $before ) || ( null === $offer && '' === $expect ) || ( null !== $offer && '' === $expect && $offer['version'] === $before ) ) {
			return self::result( 'already_current', $before, $before );
		}
		if ( null === $offer || ( '' !== $expect && $offer['version'] !== $expect ) ) {
			return self::result( 'failed', $before, $before, 'not_offered' );
		}
		$obstacle = $item->obstacle( $offer );
		if ( '' !== $obstacle ) {
			return self::result( 'failed', $before, $before, $obstacle );
		}
		return self::upgrade( $item, $offer, $before );
	}

	/**
	 * Runs core's upgrader and judges by the files.
	 *
	 * @param array<string,mixed> $offer From Offers::find().
	 * @return array<string,mixed>
	 */
	private static function upgrade( Item $item, array $offer, string $before ): array {
		self::$before     = $before;
		self::$maintained = file_exists( ABSPATH . '.maintenance' );
		self::prepare();
		$was_active  = $item->is_active();
		$was_network = $was_active && is_plugin_active_for_network( $item->file );
		$skin        = new \WP_Ajax_Upgrader_Skin();
		try {
			$answer = self::call_upgrader( $item, $offer, $skin );
			if ( is_wp_error( $answer ) ) {
				$skin->error( $answer );
			}
		} catch ( \Throwable $error ) {
			$skin->error( new \WP_Error( 'svc_exception', get_class( $error ) . ': ' . $error->getMessage() ) );
		}
		$item->put_back();
		if ( $was_active && ! $item->is_active() && 0 === validate_plugin( $item->file ) ) {
			activate_plugin( $item->file, '', $was_network, true );
		}
		self::end_maintenance();
		$after        = (string) $item->version();
		self::$before = null;
		$messages     = self::messages( $skin );
		if ( $after !== $before && $after === $offer['version'] ) {
			Offers::forget( $item->type, $item->file );
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
	 * @param array<string,mixed> $offer From Offers::find().
	 * @return mixed
	 */
	private static function call_upgrader( Item $item, array $offer, \WP_Ajax_Upgrader_Skin $skin ) {
		if ( 'core' === $item->type ) {
			$upgrader = new \Core_Upgrader( $skin );
			return $upgrader->upgrade( $offer['core'] );
		}
		$upgrader = 'plugin' === $item->type ? new \Plugin_Upgrader( $skin ) : new \Theme_Upgrader( $skin );
		$results  = $upgrader->bulk_upgrade( array( $item->file ), array( 'clear_update_cache' => false ) );
		if ( false === $results ) {
			return new \WP_Error( 'svc_filesystem', 'WordPress cannot write to its own folders.' );
		}
		$answer = is_array( $results ) ? reset( $results ) : $results;
		if ( is_wp_error( $answer ) && method_exists( $upgrader, 'restore_temp_backup' ) ) {
			$upgrader->restore_temp_backup(); // Core would do it after we have judged.
		}
		return $answer;
	}

	/** Time and memory for an upgrade, where the host lets us; and no questions to the update API after each item. */
	private static function prepare(): void {
		wp_raise_memory_limit( 'admin' );
		if ( function_exists( 'set_time_limit' ) ) {
			set_time_limit( 300 );
		} else {
			require_once __DIR__ . '/polyfills.php';
		}
		if ( function_exists( 'ignore_user_abort' ) ) {
			ignore_user_abort( true );
		}
		foreach ( array( 'wp_version_check', 'wp_update_plugins', 'wp_update_themes' ) as $question ) {
			remove_action( 'upgrader_process_complete', $question );
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
		if ( self::$locked ) {
			Rows::remove( self::LOCK );
		}
		if ( null === self::$before ) {
			return null;
		}
		$item = new Item( $params['type'], $params['file'] );
		$item->put_back();
		self::end_maintenance();
		if ( 'core' === $item->type ) {
			delete_option( 'core_updater.lock' );
		}
		return self::result( 'failed', self::$before, (string) $item->version(), Site::clip( 'ended: ' . str_replace( ABSPATH, '', $message ), 300 ) );
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
