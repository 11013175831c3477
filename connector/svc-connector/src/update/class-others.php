<?php
// What an update must not take from others.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Which other plugins are active, and the events of WP-Cron that come again and that code beside the item waits for: noted before, compared after. */
final class Others {

	/** Writes them down, for Vital. */
	public static function note( Journal $journal ): void {
		Journal::write( $journal->data( 'others' ), (string) wp_json_encode( array( 'plugins' => self::active(), 'events' => self::events( $journal ) ) ) );
	}

	/**
	 * Plugins that are switched off now while their files are there: also those that belong to the item, since a shop without its way to pay is worse
	 * than an update that waits until somebody has switched them off. WordPress itself knows what it does not run with.
	 *
	 * @return string[]
	 */
	public static function lost( Journal $journal ): array {
		$lost   = array();
		$own    = strtok( (string) $journal->get( 'file' ), '/' );
		$active = 'core' === $journal->get( 'type' ) ? null : self::active();
		foreach ( null === $active ? array() : array_diff( Vital::of_others( $journal, 'plugins' ), $active ) as $file ) {
			if ( strtok( $file, '/' ) !== $own && is_file( WP_PLUGIN_DIR . "/$file" ) ) { // Its own main file may have another name now.
				$lost[] = Site::clip( $file, 255 );
			}
		}
		return array_slice( $lost, 0, 50 );
	}

	/** Events that are gone. */
	public static function lost_events( Journal $journal ): array {
		$lost = array();
		$cron = self::option( 'cron' );
		foreach ( null === $cron ? array() : array_slice( Vital::lost_events( $journal, $cron ), 0, 50 ) as $name ) {
			$lost[] = Site::clip( $name, 100 );
		}
		return $lost;
	}

	/**
	 * Plugins that are active, past all that would show some of them to some requests only; of a trial, within its transaction. null: unknown.
	 *
	 * @return string[]|null
	 */
	private static function active(): ?array {
		global $wpdb;
		$stored = self::option( 'active_plugins' );
		if ( null !== $stored && is_multisite() ) {
			$stored .= (string) $wpdb->get_var( $wpdb->prepare( "SELECT meta_value FROM $wpdb->sitemeta WHERE meta_key = 'active_sitewide_plugins' AND site_id = %d", get_current_network_id() ) ); // phpcs:ignore WordPress.DB -- Past the cache.
		}
		preg_match_all( '/s:\d+:"([^"]+)";/', (string) $stored, $found ); // Both are lists of files, the one by key.
		return null === $stored ? null : array_values( array_unique( $found[1] ) );
	}

	private static function option( string $name ): ?string {
		global $wpdb;
		return $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", $name ) ); // phpcs:ignore WordPress.DB -- Past the cache.
	}

	/**
	 * Names of events that come again and that code outside of the item waits for.
	 *
	 * @return string[]
	 */
	private static function events( Journal $journal ): array {
		$names = array();
		foreach ( (array) get_option( 'cron' ) as $hooks ) {
			foreach ( is_array( $hooks ) ? $hooks : array() as $name => $events ) {
				if ( is_string( $name ) && self::comes_again( (array) $events ) && self::is_awaited( $name, $journal ) ) {
					$names[ $name ] = true;
				}
			}
		}
		return array_map( 'strval', array_keys( $names ) );
	}

	private static function comes_again( array $events ): bool {
		foreach ( $events as $event ) {
			if ( is_array( $event ) && ! empty( $event['schedule'] ) ) {
				return true;
			}
		}
		return false;
	}

	/** Whether a function that lies outside of the item is to be called then. */
	private static function is_awaited( string $hook, Journal $journal ): bool {
		global $wp_filter;
		foreach ( isset( $wp_filter[ $hook ] ) ? $wp_filter[ $hook ]->callbacks : array() as $callbacks ) {
			foreach ( $callbacks as $callback ) {
				$file = self::file_of( $callback['function'] );
				if ( '' !== $file && ! self::is_of_item( $file, $journal ) ) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Where a function is written; '' where that is not known.
	 *
	 * @param mixed $callback As WordPress has it.
	 */
	private static function file_of( $callback ): string {
		try {
			if ( is_string( $callback ) && false !== strpos( $callback, '::' ) ) {
				$callback = explode( '::', $callback, 2 );
			}
			if ( is_object( $callback ) && ! $callback instanceof \Closure ) {
				$callback = array( $callback, '__invoke' );
			}
			$function = is_array( $callback ) ? new \ReflectionMethod( $callback[0], $callback[1] ) : new \ReflectionFunction( $callback );
			return (string) $function->getFileName();
		} catch ( \Throwable $unknown ) {
			return '';
		}
	}

	private static function is_of_item( string $file, Journal $journal ): bool {
		foreach ( (array) $journal->get( 'names' ) as $name ) {
			$place = $journal->get( 'roots' )['item'] . '/' . $name;
			foreach ( array( $place, (string) realpath( $place ) ) as $inside ) {
				if ( '' !== $inside && ( $file === $inside || 0 === strpos( $file, "$inside/" ) ) ) {
					return true;
				}
			}
		}
		return false;
	}
}
