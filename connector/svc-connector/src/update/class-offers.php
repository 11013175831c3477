<?php
// What the update API offers.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Asks for updates and remembers the answers where WordPress does. */
final class Offers {

	const LIMIT = 15; // Seconds for all questions to the update API together.

	/**
	 * Asks the update API now. WordPress asks again only when its last question looks old, and forgets nothing when it fails.
	 *
	 * @param string[] $types Of core, plugins, themes.
	 */
	public static function refresh( array $types ): void {
		$deadline = time() + self::LIMIT;
		$hurry    = static function ( $arguments ) use ( $deadline ) {
			$arguments['timeout'] = max( 1, min( (int) ( $arguments['timeout'] ?? 5 ), $deadline - time() ) );
			return $arguments;
		};
		add_filter( 'http_request_args', $hurry, PHP_INT_MAX );
		remove_action( 'wp_maybe_auto_update', 'wp_maybe_auto_update' ); // A look at the versions must not start updates.
		foreach ( $types as $type ) {
			if ( time() >= $deadline ) {
				break;
			}
			$name  = 'update_' . $type;
			$known = get_site_transient( $name );
			$known = is_object( $known ) ? $known : (object) ( 'core' === $type ? array( 'updates' => array(), 'version_checked' => Site::wp_version() ) : array() );
			// Still there afterwards only if no answer came: WordPress itself notes the time of a question, not of an answer.
			$known->svc_connector_asked = (int) ( $known->last_checked ?? 0 );
			$known->last_checked        = 0;
			set_site_transient( $name, $known );
			if ( 'core' === $type ) {
				wp_version_check( array(), true );
			} elseif ( 'plugins' === $type ) {
				wp_update_plugins();
			} else {
				wp_update_themes();
			}
			self::restore_time( $name );
		}
		remove_filter( 'http_request_args', $hurry, PHP_INT_MAX );
	}

	/** When no answer came, the old one keeps its old time. */
	private static function restore_time( string $name ): void {
		$known = get_site_transient( $name );
		if ( is_object( $known ) && isset( $known->svc_connector_asked ) ) {
			$known->last_checked = $known->svc_connector_asked;
			unset( $known->svc_connector_asked );
			set_site_transient( $name, $known );
		}
	}

	/** Time of the oldest answer of the update API that is in use, or null. */
	public static function checked_at(): ?int {
		$times = array();
		foreach ( array( 'update_core', 'update_plugins', 'update_themes' ) as $name ) {
			$known = get_site_transient( $name );
			if ( ! is_object( $known ) || empty( $known->last_checked ) ) {
				return null;
			}
			$times[] = (int) $known->last_checked;
		}
		return min( $times );
	}

	/** The newest core release on offer, or the one of that version. */
	public static function core( string $version ): ?object {
		$known = get_site_transient( 'update_core' );
		$best  = null;
		foreach ( is_object( $known ) && isset( $known->updates ) && is_array( $known->updates ) ? $known->updates : array() as $offer ) {
			$is_upgrade = isset( $offer->response, $offer->version ) && 'upgrade' === $offer->response && version_compare( $offer->version, Site::wp_version(), '>' );
			if ( $is_upgrade && ( '' === $version || $version === $offer->version ) && ( null === $best || version_compare( $offer->version, $best->version, '>' ) ) ) {
				$best = $offer;
			}
		}
		return $best;
	}

	/** The update on offer for a plugin. */
	public static function plugin( string $file ): ?object {
		$known = get_site_transient( 'update_plugins' );
		$offer = is_object( $known ) && isset( $known->response[ $file ] ) ? (object) $known->response[ $file ] : null;
		return null !== $offer && ! empty( $offer->new_version ) ? $offer : null;
	}

	/** The update on offer for a theme. */
	public static function theme( string $stylesheet ): ?object {
		$known = get_site_transient( 'update_themes' );
		$offer = is_object( $known ) && isset( $known->response[ $stylesheet ] ) ? (object) $known->response[ $stylesheet ] : null;
		return null !== $offer && ! empty( $offer->new_version ) ? $offer : null;
	}

	/** How many translations wait. */
	public static function translations(): int {
		return count( wp_get_translation_updates() );
	}

	/** What is on offer: version, requirements, package. */
	public static function find( string $type, string $file, string $expect ): ?array {
		if ( 'core' === $type ) {
			$core = self::core( $expect );
			return null === $core ? null : array(
				'version'      => (string) $core->version,
				'requires_wp'  => '',
				'requires_php' => (string) ( $core->php_version ?? '' ),
				'package'      => (string) ( $core->packages->full ?? $core->download ?? '' ),
				'url'          => '',
				'core'         => $core,
			);
		}
		if ( 'translations' === $type ) {
			return 0 === self::translations() ? null : array(
				'version'      => '',
				'requires_wp'  => '',
				'requires_php' => '',
				'package'      => 'several',
			);
		}
		$offer = 'plugin' === $type ? self::plugin( $file ) : self::theme( $file );
		return null === $offer ? null : array(
			'version'      => (string) $offer->new_version,
			'requires_wp'  => (string) ( $offer->requires ?? '' ),
			'requires_php' => (string) ( $offer->requires_php ?? '' ),
			'package'      => (string) ( $offer->package ?? '' ),
			'url'          => (string) ( $offer->url ?? '' ),
		);
	}

	/** What core would only learn from its next question: this update is no longer on offer. */
	public static function forget( string $type, string $file ): void {
		if ( 'core' === $type || 'translations' === $type ) {
			return; // Core compares versions itself.
		}
		$name  = 'plugin' === $type ? 'update_plugins' : 'update_themes';
		$known = get_site_transient( $name );
		if ( is_object( $known ) && isset( $known->response[ $file ] ) ) {
			unset( $known->response[ $file ] );
			set_site_transient( $name, $known );
		}
	}
}
