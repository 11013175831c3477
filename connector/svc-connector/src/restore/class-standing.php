<?php
// What the standing door knows of this site.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * The pairing in a file, for when WordPress does not start: what the database has, no more. The site's key in it is sealed as it is there.
 * The folder has a name nobody can guess, and lies in the working folder, which no backup holds. Where the database can be read it decides.
 */
final class Standing {

	const NAME = '/^\.door-[0-9a-f]{32}$/D';

	/** Writes down how things are, where that has changed. Only what the web server's PHP writes can it read, whoever runs WP-CLI. */
	public static function keep( Identity $identity ): void {
		if ( 'cli' === PHP_SAPI || $identity->is_clone() ) {
			return;
		}
		try {
			if ( ! self::is_possible() ) {
				throw new Problem( 'failed', 'A door would find no way in.' );
			}
			$dir   = self::folders()[0] ?? self::make();
			$state = array(
				'dir'      => realpath( $dir ),
				'abspath'  => ABSPATH,
				'config'   => self::config(),
				'options'  => array_intersect_key( wp_load_alloptions(), array_flip( array( 'home', 'siteurl', 'upload_path' ) ) ) + array( Remembered::OPTION => (string) get_option( Remembered::OPTION, '' ) ),
				'identity' => $identity->record(),
			);
			$text  = "<?php __halt_compiler();\n" . wp_json_encode( $state, JSON_UNESCAPED_SLASHES );
			if ( ! is_file( "$dir/identity.php" ) || file_get_contents( "$dir/identity.php" ) !== $text ) {
				Journal::write( "$dir/identity.php", $text );
			}
		} catch ( \Throwable $error ) {
			self::forget(); // What is not up to date must not stay; without it this site has no such door.
		}
	}

	/** The door answers nobody any more. */
	public static function forget(): void {
		foreach ( self::folders() as $dir ) {
			$file = "$dir/identity.php";
			if ( is_file( $file ) && ! @unlink( $file ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Emptied below; and the database says no as well.
				$stream = @fopen( $file, 'wb' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors
				if ( $stream ) {
					fclose( $stream );
				}
			}
			Leftovers::discard( $dir );
		}
	}

	/** Path of the door at the address of the site, or '' where there is none. */
	public static function path(): string {
		if ( ! function_exists( 'plugins_url' ) || ! self::is_possible() || ! self::folders() ) {
			return '';
		}
		$url  = plugins_url( 'standing-door.php', FILE );
		$path = (string) wp_parse_url( $url, PHP_URL_PATH );
		return wp_parse_url( $url, PHP_URL_HOST ) === wp_parse_url( site_url(), PHP_URL_HOST ) ? $path : '';
	}

	/** SQLite's file is known to its driver alone, and the secrets must be in wp-config.php, which must be of a kind that can be read without WordPress. */
	private static function is_possible(): bool {
		return 'sqlite' !== Tables::engine() && Identity::has_own_salts() && Configuration::is_plain( self::config() );
	}

	private static function config(): string {
		return is_file( ABSPATH . 'wp-config.php' ) ? ABSPATH . 'wp-config.php' : dirname( ABSPATH ) . '/wp-config.php';
	}

	/** The folders there are: one, or none. */
	private static function folders(): array {
		$found = array();
		foreach ( Leftovers::names( Root::work() ) as $name ) {
			if ( preg_match( self::NAME, $name ) ) {
				$found[] = Root::work() . "/$name";
			}
		}
		return $found;
	}

	private static function make(): string {
		$dir = Root::work() . '/.door-' . bin2hex( random_bytes( 16 ) );
		foreach ( array( Root::work(), $dir, "$dir/nonces" ) as $folder ) {
			if ( ! is_dir( $folder ) && ! mkdir( $folder, 0700 ) && ! is_dir( $folder ) ) {
				throw new Problem( 'failed', 'A working folder cannot be made: wp-content is not writable.' );
			}
		}
		array_map( array( Journal::class, 'deny' ), array( Root::work(), $dir ) );
		return $dir;
	}

	/** Remembers a nonce until its end; false when it is known. Now and then those past their end go. */
	public static function remember( string $dir, string $nonce, int $gone ): bool {
		if ( 0 === random_int( 0, 49 ) ) {
			foreach ( Leftovers::names( "$dir/nonces" ) as $name ) {
				if ( filemtime( "$dir/nonces/$name" ) < time() ) {
					unlink( "$dir/nonces/$name" );
				}
			}
		}
		$file   = "$dir/nonces/" . hash( 'sha256', $nonce );
		$stream = @fopen( $file, 'xb' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- That it is there already is the answer.
		return $stream && fclose( $stream ) && touch( $file, $gone );
	}
}
