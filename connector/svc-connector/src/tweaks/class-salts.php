<?php
// The secrets in wp-config.php that sessions are signed with.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Replaces the eight literals and nothing else. The connector's own key is sealed under them and is sealed anew on the way. */
final class Salts {

	const NAMES = array( 'AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT' );

	/** What is wrong with the secrets in use; empty when they are good. */
	public static function weakness(): string {
		$seen = array();
		foreach ( self::NAMES as $name ) {
			$salt = defined( $name ) ? (string) constant( $name ) : '';
			if ( '' === $salt || 'put your unique phrase here' === $salt ) {
				return "$name is not set.";
			}
			if ( strlen( $salt ) < 32 || strlen( count_chars( $salt, 3 ) ) < 12 ) {
				return "$name is too simple.";
			}
			if ( isset( $seen[ $salt ] ) ) {
				return "$name is the same as {$seen[$salt]}.";
			}
			$seen[ $salt ] = $name;
		}
		return '';
	}

	/** Why they cannot be replaced; empty when they can. */
	public static function obstacle(): string {
		if ( ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			return 'Changing files is not allowed on this site (DISALLOW_FILE_MODS).';
		}
		$path = self::file();
		$why  = null === $path ? 'wp-config.php is not where WordPress looks for it.' : Replace::obstacle( $path );
		if ( '' !== $why || null === $path ) {
			return $why;
		}
		try {
			self::rewrite( (string) file_get_contents( $path ), self::fresh() );
		} catch ( Problem $problem ) {
			return $problem->getMessage();
		}
		return '';
	}

	/** Puts new ones in their place. Until that is confirmed, the connector's key opens under the old ones and the new ones. */
	public static function rotate( string $name, Identity $identity, callable $undo ): void {
		$why = self::obstacle();
		if ( '' !== $why ) {
			throw new Problem( 'failed', $why );
		}
		foreach ( array( 'restore', 'update' ) as $kind ) {
			$journal = Journal::current( Root::work(), $kind );
			if ( null !== $journal && $journal->is_open() ) {
				throw new Problem( 'busy', 'A restore or an update is at work.' );
			}
		}
		$path   = (string) self::file();
		$before = (string) file_get_contents( $path );
		$salts  = self::fresh();
		$after  = self::rewrite( $before, $salts );
		$identity->prepare( implode( '', $salts ) );
		DeadMansSwitch::change( $name, array( $path, $before, $after ), $undo );
	}

	/**
	 * The source of wp-config.php with new secrets. Whatever is not plain to see is refused.
	 *
	 * @param array<string,string> $salts Name => new secret, without quotes and backslashes.
	 * @throws Problem When the old ones are not all literals of this file.
	 */
	public static function rewrite( string $source, array $salts ): string {
		$found = self::literals( $source );
		$cuts  = array();
		$add   = '';
		foreach ( $salts as $name => $salt ) {
			$at = $found[ $name ] ?? array();
			if ( count( $at ) > 1 || ( ! $at && defined( $name ) ) || ( $at && ( ! defined( $name ) || constant( $name ) !== $at[0][2] ) ) ) {
				throw new Problem( 'failed', "$name is not a plain text in wp-config.php; it is set elsewhere, more than once, or worked out." );
			}
			if ( $at ) {
				$cuts[ $at[0][0] ] = array( $at[0][1], "'$salt'" );
			} else {
				$add .= "define( '$name', '$salt' );\n";
			}
		}
		if ( '' !== $add ) {
			if ( ! isset( $found['wp-settings.php'] ) ) {
				throw new Problem( 'failed', 'wp-config.php does not load wp-settings.php itself.' );
			}
			$cuts[ $found['wp-settings.php'][0][0] ] = array( 0, $add );
		}
		krsort( $cuts );
		foreach ( $cuts as $offset => list( $length, $text ) ) {
			$source = substr_replace( $source, $text, $offset, $length );
		}
		foreach ( self::literals( $source ) as $name => $at ) {
			if ( isset( $salts[ $name ] ) && ( 1 !== count( $at ) || $at[0][2] !== $salts[ $name ] ) ) {
				throw new Problem( 'failed', 'wp-config.php could not be changed with certainty.' );
			}
		}
		return $source;
	}

	/**
	 * Where each secret stands: name => list of array( offset, length, value ); and where wp-settings.php is loaded.
	 *
	 * @return array<string,array<int,array<int,mixed>>>
	 */
	private static function literals( string $source ): array {
		try {
			$tokens = token_get_all( $source, TOKEN_PARSE );
		} catch ( \ParseError $error ) {
			throw new Problem( 'failed', 'wp-config.php cannot be read as PHP.' );
		}
		$offset = 0;
		$found  = array();
		$plain  = array(); // Without spaces and comments: array( type, text, offset ).
		foreach ( $tokens as $token ) {
			$text = is_array( $token ) ? $token[1] : $token;
			if ( ! is_array( $token ) || ! in_array( $token[0], array( T_WHITESPACE, T_COMMENT, T_DOC_COMMENT ), true ) ) {
				$plain[] = array( is_array( $token ) ? $token[0] : 0, $text, $offset );
			}
			$offset += strlen( $text );
		}
		foreach ( $plain as $n => list( $type, $text, $at ) ) {
			$texts = array_column( array_slice( $plain, $n, 6 ), 1 );
			if ( in_array( $type, array( T_REQUIRE, T_REQUIRE_ONCE, T_INCLUDE, T_INCLUDE_ONCE ), true ) && preg_match( '/wp-settings\.php/', implode( '', $texts ) ) ) {
				$found['wp-settings.php'][] = array( $at, 0, '' );
			}
			if ( 'define' !== strtolower( ltrim( $text, '\\' ) ) || '(' !== ( $texts[1] ?? '' ) || ',' !== ( $texts[3] ?? '' ) ) {
				continue;
			}
			$value                            = $plain[ $n + 4 ] ?? array( 0, '', 0 );
			$literal                          = T_CONSTANT_ENCAPSED_STRING === $value[0] && ')' === ( $texts[5] ?? '' );
			$found[ self::value( $texts[2] ) ][] = array( $value[2], strlen( $value[1] ), $literal ? self::value( $value[1] ) : null );
		}
		return $found;
	}

	/** What a literal means. */
	private static function value( string $literal ): string {
		$inner = substr( $literal, 1, -1 );
		return "'" === substr( $literal, 0, 1 ) ? strtr( $inner, array( '\\\\' => '\\', "\\'" => "'" ) ) : stripcslashes( $inner );
	}

	/** Eight new secrets. */
	private static function fresh(): array {
		$salts = array();
		foreach ( self::NAMES as $name ) {
			$salts[ $name ] = base64_encode( random_bytes( 48 ) );
		}
		return $salts;
	}

	/** Where WordPress found it. */
	private static function file(): ?string {
		foreach ( array( ABSPATH . 'wp-config.php', dirname( ABSPATH ) . '/wp-config.php' ) as $path ) {
			if ( is_file( $path ) ) {
				return $path;
			}
		}
		return null;
	}
}
