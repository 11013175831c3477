<?php
// What must not be kept of a visitor's request, nor of the site's secrets.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Takes out of a message whatever came with the request, word by word, and what looks like a secret or a person. */
final class Scrub {

	const LEAST  = 4;    // Characters of a value that is looked for.
	const VALUES = 500;  // So many are looked for.
	const BODY   = 65536; // Bytes of a JSON body.

	/** How sentences of PHP itself begin. In these nothing of a request stands but in quotes and brackets. */
	const OWN = '/^(?:Uncaught (?:Error|TypeError|ArgumentCountError|ValueError|ParseError|CompileError|ArithmeticError|DivisionByZeroError|UnhandledMatchError): )?(?:Undefined (?:variable|property|offset|constant|index|array key|method|global variable)|Call to (?:undefined|a member function|private|protected)|Class |Interface |Trait |Enum |Cannot |Can\'t |Allowed memory size|Out of memory|Maximum execution time|Maximum call stack|Trying to |Attempt to |Array to string|Object of class |Unsupported operand|Division by zero|Modulo by zero|Too few arguments|Unknown named parameter|Non-static method|Access level to|Declaration of |syntax error|Unclosed |Unmatched |Using \$this|Abstract function|Return value must|Argument #?\d|[\w\\\\]+(?:::\w+)?\(\):? |[\w\\\\]+(?:::\w+)?\((?:\.\.\.)?\$?[^()]*\): |foreach\(\) |A non-numeric value|Illegal |Uninitialized |String offset|Creation of dynamic property|Constant |Redefinition of|Failed opening|Unknown: )/';

	/** What looks like something that nobody else should read, and what stands there instead. */
	const PATTERNS = array(
		'#([a-z][a-z0-9+.-]*://)[^/\s:@"\']+:[^/\s@"\']+@#i'                         => '$1[secret]@',
		'#[^\s@"\'<>()\[\],;:]+@[^\s@"\'<>()\[\],;:]+\.[a-z]{2,}#i'                  => '[email]',
		'#\?[^\s"\'<>)]*=[^\s"\'<>)]*#'                                             => '?[query]',
		'#\b(pass(?:word|wd|phrase)?|secret|token|api[_-]?key|auth(?:orization)?|nonce|session(?:id)?|bearer)\b(["\']?\s*(?:=>|[=:])\s*["\']?|\s+)(?!\w+\()[^\s"\',;)]{4,}#i' => '$1$2[secret]',
		'#\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*#'                                           => '[secret]',
		'#(?<![\w/$\\\\-])(?=[A-Za-z0-9+/_-]*\d)(?=[A-Za-z0-9+/_-]*[A-Za-z])[A-Za-z0-9+_-]{24,}={0,2}(?![\w/(])#' => '[hash]',
		'#(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])#'                               => '[address]',
		'#(?<![\w:])(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{0,4}(?![\w:])#i'                 => '[address]',
		'#(?<![\w.])\+?\d(?:[ -]?\d){10,}(?![\w.])#'                                 => '[number]',
	);

	/** @var string[]|null Values of this request, the longest first. */
	private static $values = null;

	/** The message without them. */
	public static function text( string $message ): string {
		if ( null === self::$values ) {
			self::$values = self::sent();
		}
		$message = substr( $message, 0, 8000 );
		if ( preg_match( self::OWN, $message ) ) {
			$message = (string) preg_replace_callback(
				'/"[^"]*"|\'[^\']*\'|\([^()]*\)/',
				static function ( array $found ): string {
					return self::without_values( $found[0] );
				},
				$message
			);
		} else {
			$message = self::without_values( $message );
		}
		foreach ( self::PATTERNS as $pattern => $word ) {
			$message = preg_replace( $pattern, $word, $message ) ?? '';
		}
		return $message;
	}

	/** The path of a page without them; in paths also what stands between slashes may be a key. */
	public static function path( string $path ): string {
		$path = (string) preg_replace( '#[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![A-Za-z0-9])(?=[A-Za-z_]*\d)(?=[\d_]*[A-Za-z])\w{16,}#i', '[hash]', substr( $path, 0, 2000 ) );
		return self::text( $path );
	}

	private static function without_values( string $text ): string {
		foreach ( self::$values as $value => $word ) {
			$value = (string) $value;
			if ( false !== stripos( $text, $value ) ) {
				// A name of the code stays: `$page` and `page()` say nothing of who came.
				$text = preg_replace( '/(?<![\w$])' . preg_quote( $value, '/' ) . '(?![\w(])/i', $word, $text ) ?? '';
			}
		}
		return $text;
	}

	/** What came with this request, and the secrets of wp-config.php, each with the word for it. */
	private static function sent(): array {
		// phpcs:disable WordPress.Security -- Only to be looked for, and taken out.
		$values = array();
		foreach ( array( $_GET, $_POST, $_COOKIE, self::body() ) as $sent ) {
			self::gather( $sent, $values, 0 );
		}
		foreach ( $_SERVER as $name => $value ) {
			if ( preg_match( '/^(?:HTTP_(?!HOST$|ACCEPT|CONNECTION$)|PHP_AUTH_|REMOTE_(?:ADDR|USER|HOST)$|QUERY_STRING$)/', (string) $name ) ) {
				self::gather( $value, $values, 0 );
			}
		}
		// phpcs:enable
		foreach ( array( 'DB_PASSWORD', 'AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT' ) as $name ) {
			if ( defined( $name ) && is_string( constant( $name ) ) && strlen( constant( $name ) ) >= self::LEAST ) {
				$values[ constant( $name ) ] = '[secret]';
			}
		}
		uksort(
			$values,
			static function ( $one, $other ): int {
				return strlen( (string) $other ) - strlen( (string) $one );
			}
		);
		return $values;
	}

	/**
	 * All texts in it, and how they were before WordPress added slashes.
	 *
	 * @param mixed                $sent   A value, or a list.
	 * @param array<string,string> $values Where they go.
	 */
	private static function gather( $sent, array &$values, int $deep ): void {
		foreach ( is_array( $sent ) ? $sent : array( $sent ) as $value ) {
			if ( is_array( $value ) && $deep < 5 ) {
				self::gather( $value, $values, $deep + 1 );
			} elseif ( is_scalar( $value ) ) {
				foreach ( array( (string) $value, stripslashes( (string) $value ), rawurldecode( (string) $value ) ) as $text ) {
					if ( strlen( $text ) >= self::LEAST && strlen( $text ) <= 4096 && count( $values ) < self::VALUES ) {
						$values[ $text ] = '[input]';
					}
				}
			}
		}
	}

	/**
	 * The body, where it is JSON.
	 *
	 * @return mixed
	 */
	private static function body() {
		if ( false === stripos( (string) ( $_SERVER['CONTENT_TYPE'] ?? '' ), 'json' ) ) { // phpcs:ignore WordPress.Security -- Only looked at.
			return array();
		}
		$stream = fopen( 'php://input', 'rb' );
		return $stream ? json_decode( (string) stream_get_contents( $stream, self::BODY ), true, 8 ) : array();
	}
}
