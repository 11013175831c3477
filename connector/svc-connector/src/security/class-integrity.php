<?php
// Fingerprints of the files that should be as their makers published them.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `security.integrity`. Works on a position, like `files.list`: "what comes after this path". Links are never followed. */
final class Integrity {

	const BIGGEST = 33554432; // Bytes; nothing larger is hashed.
	const PHP     = '/\.(?:php[0-9]?|phtml|pht|phar)(?:\.|$)/iD';

	/** @var string What is walked: core, plugin, uploads. */
	private $scope;

	/** @var string Absolute, without a slash at the end. */
	private $base;

	/** @var Budget When to stop. */
	private $budget;

	/** @var int Entries that may still be told. */
	private $room;

	/** @var int Paths seen so far. */
	private $seen = 0;

	/** @var array<string,mixed> The result so far. */
	private $result;

	/** The verb `security.integrity`. */
	public static function slice( array $params ): array {
		$walk         = new self();
		$walk->scope  = Verbs::text( $params, 'scope', '/^(?:core|plugin|uploads)$/D' );
		$walk->base   = 'core' === $walk->scope ? untrailingslashit( ABSPATH ) : ( 'plugin' === $walk->scope ? self::plugin_folder( $params ) : self::uploads() );
		$walk->budget = Budget::of( $params );
		$walk->room   = Verbs::number( $params, 'max_items', 2000, 10000 );
		$walk->result = array( 'entries' => array(), 'after' => $params['after'] ?? null );
		$after        = isset( $params['after'] ) ? explode( '/', Root::from_wire( $params['after'] ) ) : array();
		$done         = ! is_dir( $walk->base ) || is_link( $walk->base ) || $walk->walk( '', $after );
		return $walk->result + array( 'done' => $done );
	}

	/** Folder of one plugin. */
	private static function plugin_folder( array $params ): string {
		$name = Verbs::text( $params, 'plugin', '/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/D' );
		return WP_PLUGIN_DIR . '/' . $name;
	}

	private static function uploads(): string {
		$found = wp_upload_dir( null, false );
		return untrailingslashit( (string) $found['basedir'] );
	}

	/**
	 * Visits what comes after a position: depth first, siblings in byte order.
	 *
	 * @param string   $folder Path below the base, '' or ending in a slash.
	 * @param string[] $after  Rest of the position, below this folder.
	 * @return bool False when it stopped early.
	 */
	private function walk( string $folder, array $after ): bool {
		$names = @scandir( $this->base . '/' . $folder, SCANDIR_SORT_NONE ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- An unreadable folder has no files to tell.
		$names = is_array( $names ) ? array_diff( $names, array( '.', '..' ) ) : array();
		$first = array_shift( $after );
		sort( $names, SORT_STRING );
		foreach ( $names as $name ) {
			$order     = null === $first ? 1 : strcmp( $name, $first );
			$full      = $this->base . '/' . $folder . $name;
			$is_folder = $order >= 0 && is_dir( $full ) && ! is_link( $full ) && $this->enters( $folder, $name );
			if ( $order < 0 || ( 0 === $order && ! $is_folder ) ) {
				continue;
			}
			if ( $order > 0 && ! $this->visit( $folder . $name, $full, $is_folder ) ) {
				return false;
			}
			if ( $is_folder && ! $this->walk( $folder . $name . '/', 0 === $order ? $after : array() ) ) {
				return false;
			}
		}
		return true;
	}

	/** Of core's folders only its own two: what is beside them belongs to others. */
	private function enters( string $folder, string $name ): bool {
		return 'core' !== $this->scope || '' !== $folder || in_array( $name, array( 'wp-admin', 'wp-includes' ), true );
	}

	/** Tells one path if it is worth telling; false when there is no more room or time for it. */
	private function visit( string $path, string $full, bool $is_folder ): bool {
		if ( $this->room <= 0 || ( $this->seen > 0 && $this->budget->is_spent() ) ) {
			return false;
		}
		++$this->seen;
		$this->result['after'] = Root::to_wire( $path );
		if ( $is_folder || ( ! is_link( $full ) && ! is_file( $full ) ) || ! $this->matters( $path, $full ) ) {
			return true;
		}
		--$this->room;
		$this->result['entries'][] = array(
			'p' => Root::to_wire( $path ),
			'h' => is_link( $full ) ? '' : $this->fingerprint( $full ),
		);
		return true;
	}

	/** In the uploads only PHP that does something; at the top of core's folder only what core could have put there. */
	private function matters( string $path, string $full ): bool {
		if ( 'uploads' === $this->scope ) {
			return 1 === preg_match( self::PHP, basename( $path ) ) && ! self::does_nothing( $full );
		}
		return 'core' !== $this->scope || false !== strpos( $path, '/' ) || ( 'wp-config.php' !== $path && 1 === preg_match( '/\.(?:php|html|txt)$/D', $path ) );
	}

	/** True for an empty file, one with comments only ("Silence is golden"), and our own probe. */
	private static function does_nothing( string $full ): bool {
		if ( is_link( $full ) || ! is_readable( $full ) || filesize( $full ) > 500 ) {
			return false;
		}
		$code = (string) file_get_contents( $full );
		return Probe::CODE === $code || 1 === preg_match( '#^\s*(?:<\?php(?:\s|//[^\r\n?<]*(?=[\r\n]|$)|/\*(?:[^*]|\*(?!/))*\*/)*(?:\?>\s*)?)?$#D', $code );
	}

	/** MD5, which is what WordPress.org publishes; '' for what cannot be read. */
	private function fingerprint( string $full ): string {
		if ( 'uploads' === $this->scope || ! is_readable( $full ) || filesize( $full ) > self::BIGGEST ) {
			return '';
		}
		return (string) md5_file( $full );
	}
}
