<?php
// How a site becomes connected, changes keys, and stops being connected.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Talks to the service an administrator chose. A key is pinned only when the service proves that it knows the code. */
final class Enrolment {

	const OPTION_REFUSED = 'svc_connector_refused';
	const LEAST          = '5.9'; // Of WordPress; as "Requires at least" says, which nobody asks where a plugin was put in by hand.

	/**
	 * Connects this site; afterwards the service calls back.
	 *
	 * @return true|\WP_Error
	 */
	public static function connect( string $service_url, string $code, int $user_id ) {
		global $wpdb;
		if ( version_compare( Site::wp_version(), self::LEAST, '<' ) ) {
			/* translators: 1: the least version of WordPress, 2: the version of this site. */
			return new \WP_Error( 'svc_connector_wordpress', sprintf( __( 'This plugin needs WordPress %1$s or newer, and this site has %2$s. Update WordPress first.', 'svc-connector' ), self::LEAST, Site::wp_version() ) );
		}
		if ( '' === $wpdb->prefix ) {
			return new \WP_Error( 'svc_connector_prefix', __( 'The tables of this site have no prefix, so nobody can tell them from others in the same database. Give them one ($table_prefix in wp-config.php) first.', 'svc-connector' ) );
		}
		$service_url = untrailingslashit( trim( $service_url ) );
		if ( ! preg_match( '#^https?://[^/?\#@\s]+(/[^?\#\s]*)?$#iD', $service_url ) ) {
			return new \WP_Error( 'svc_connector_url', __( 'The service address must look like https://service.example.', 'svc-connector' ) );
		}
		$code = strtr( strtoupper( (string) preg_replace( '/[\s-]+/', '', $code ) ), 'OIL', '011' );
		if ( ! preg_match( '/^[0-9A-HJKMNP-TV-Z]{20}$/D', $code ) ) {
			return new \WP_Error( 'svc_connector_code', __( 'A connection code has 20 letters and digits, for example AB1CD-EF2GH-JK3MN-PQ4RS. Copy the whole code.', 'svc-connector' ) );
		}
		if ( ! is_main_site() ) {
			return new \WP_Error( 'svc_connector_multisite', __( 'In a network of sites only the main site can be connected.', 'svc-connector' ) );
		}
		if ( $user_id > 0 && ! Rights::may_pair( $user_id ) ) {
			return new \WP_Error( 'svc_connector_rights', __( 'Only an administrator with all rights, in a network of sites a network administrator, may connect this site.', 'svc-connector' ) );
		}
		$paired = Identity::load();
		if ( null !== $paired ) {
			/* translators: %s: address of a service. */
			return new \WP_Error( 'svc_connector_paired', sprintf( __( 'This site is connected with %s. Disconnect it first, then connect it.', 'svc-connector' ), $paired->get( 'service_url' ) ) );
		}
		return self::enrol( $service_url, hash( 'sha256', $code, true ), $user_id );
	}

	/**
	 * The exchange with the service.
	 *
	 * @return true|\WP_Error
	 */
	private static function enrol( string $service_url, string $key, int $user_id ) {
		Wire::load_sodium();
		$pair        = sodium_crypto_sign_keypair();
		$site_public = base64_encode( sodium_crypto_sign_publickey( $pair ) );
		$url         = site_url();
		$nonce       = base64_encode( random_bytes( 16 ) );
		$body        = array(
			'protocol'          => 1,
			'hint'              => substr( hash( 'sha256', $key ), 0, 16 ),
			'site_public'       => $site_public,
			'url'               => $url,
			'home'              => home_url(),
			'nonce'             => $nonce,
			'proof'             => base64_encode( hash_hmac( 'sha256', "enrol-1\n$site_public\n$url\n$nonce", $key, true ) ),
			'connector_version' => VERSION,
			'wp_version'        => Site::wp_version(),
			'php_version'       => PHP_VERSION,
			'name'              => Site::name(),
		);

		$answer = self::post( $service_url . '/connector/v1/enrol', (string) wp_json_encode( $body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE ), array( 'content-type' => 'application/json' ) );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$said = self::read_answer( $answer );
		if ( is_wp_error( $said ) ) {
			return $said;
		}
		$expected = base64_encode( hash_hmac( 'sha256', implode( "\n", array( 'enrol-2', $said['site_id'], $said['service_public'], $site_public, $nonce, $said['nonce'] ) ), $key, true ) );
		if ( ! hash_equals( $expected, $said['proof2'] ) ) {
			return new \WP_Error( 'svc_connector_proof', __( 'The answer did not come from the service that made this code. Nothing was changed. Check the address of the service.', 'svc-connector' ) );
		}
		$identity = Identity::create(
			array(
				'service_url' => $service_url,
				'site_id'     => $said['site_id'],
				'keyid'       => $said['keyid'],
				'public'      => $said['service_public'],
				'paired_by'   => $user_id > 0 ? $user_id : Rights::first_administrator(),
			),
			$pair
		);
		Wire::forget( $pair );
		delete_option( self::OPTION_REFUSED );
		self::notice( $identity, 'enrolled' );
		return true;
	}

	/**
	 * The service's answer to an enrolment, of the right shape; everything in it is text.
	 *
	 * @param array<string,mixed> $answer From wp_remote_post().
	 * @return array<string,string>|\WP_Error
	 */
	private static function read_answer( array $answer ) {
		$status = (int) wp_remote_retrieve_response_code( $answer );
		$said   = json_decode( wp_remote_retrieve_body( $answer ), true, 8 );
		if ( 200 !== $status && ( is_array( $said ) || 429 === $status || $status >= 500 || ( $status >= 300 && $status < 400 ) ) ) {
			return new \WP_Error( 'svc_connector_refused', self::explain( $status, is_array( $said ) ? $said : array() ), array( 'status' => $status ) );
		}
		$shapes = array(
			'site_id'        => '/^site_[A-Za-z0-9]{1,40}$/D',
			'keyid'          => '/^[a-z0-9]{1,16}$/D',
			'service_public' => '#^[A-Za-z0-9+/]{43}=$#D',
			'nonce'          => '#^[A-Za-z0-9+/]{22}==$#D',
			'proof2'         => '#^[A-Za-z0-9+/]{43}=$#D',
		);
		foreach ( $shapes as $name => $shape ) {
			if ( ! is_array( $said ) || ! isset( $said[ $name ] ) || ! is_string( $said[ $name ] ) || ! preg_match( $shape, $said[ $name ] ) ) {
				return new \WP_Error( 'svc_connector_answer', __( 'That address answered, but not as the service does. Check the address of the service.', 'svc-connector' ) );
			}
		}
		return array_intersect_key( $said, $shapes );
	}

	/**
	 * A refusal in words that name the problem.
	 *
	 * @param array<string,mixed> $problem Problem document of the service, if it sent one.
	 */
	private static function explain( int $status, array $problem ): string {
		if ( $status >= 300 && $status < 400 ) {
			return __( 'That address redirects to another one. Enter the address the service really has.', 'svc-connector' );
		}
		if ( 429 === $status ) {
			return __( 'The service has seen too many attempts. Wait a minute and try again.', 'svc-connector' );
		}
		foreach ( array( 'detail', 'message', 'title' ) as $name ) {
			if ( isset( $problem[ $name ] ) && is_string( $problem[ $name ] ) ) {
				/* translators: 1: HTTP status, 2: what the service says. */
				return sprintf( __( 'The service refused (%1$d): %2$s', 'svc-connector' ), $status, Site::clip( sanitize_text_field( $problem[ $name ] ), 1000 ) );
			}
		}
		if ( in_array( $status, array( 400, 403, 404 ), true ) ) {
			/* translators: %d: HTTP status. */
			return sprintf( __( 'The service does not accept this code (%d): it is wrong, used or too old, or meant for another site. Make a new code.', 'svc-connector' ), $status );
		}
		/* translators: %d: HTTP status. */
		return sprintf( __( 'The service answered with status %d. Try again later.', 'svc-connector' ), $status );
	}

	/** Ends the connection from this side and tells the service, if it can be reached. */
	public static function disconnect(): void {
		if ( ! is_main_site() ) {
			return;
		}
		$identity = Identity::load();
		// First: the service believes the notice only when this site answers it no more.
		Identity::forget();
		if ( null !== $identity ) {
			self::notice( $identity, 'disconnected' );
		}
	}

	/** The verb `disconnect`; keys go when the answer is on its way. */
	public static function accept_disconnect(): array {
		return array( 'disconnected' => true );
	}

	/** The verb `keys.rotate`. */
	public static function rotate( array $params, Identity $identity ): array {
		$keyid  = Verbs::text( $params, 'keyid', '/^[a-z0-9]{1,16}$/D' );
		$public = Verbs::text( $params, 'public', '#^[A-Za-z0-9+/]{43}=$#D' );
		if ( null === Wire::bytes( $public, 32 ) ) {
			throw new Problem( 'bad_request', 'Parameter public is not an Ed25519 key.' );
		}
		$keys = $identity->service_keys();
		if ( $keyid !== $identity->get( 'keyid' ) ) {
			$identity->set_next_key( $keyid, $public );
		} elseif ( ! hash_equals( base64_encode( $keys[ $keyid ] ), $public ) ) {
			throw new Problem( 'bad_request', 'This key id is in use for another key.' );
		}
		return array( 'accepted' => true );
	}

	/** Connects with the constants of wp-config.php, after the page was sent, at most once a minute. */
	public static function schedule_unattended(): void {
		if ( ! is_main_site() ) {
			return;
		}
		add_action( 'shutdown', array( self::class, 'connect_unattended' ), PHP_INT_MAX );
	}

	/** A code that was refused is not tried again. */
	public static function connect_unattended(): void {
		$url         = (string) constant( 'SVC_CONNECTOR_URL' );
		$code        = (string) constant( 'SVC_CONNECTOR_CODE' );
		$fingerprint = hash( 'sha256', $url . "\n" . $code );
		$refused     = json_decode( (string) get_option( self::OPTION_REFUSED, '' ), true, 4 );
		if ( null !== Identity::load() || ( is_array( $refused ) && ( $refused['code'] ?? '' ) === $fingerprint ) || ! Facts::add( 'a.unattended', '', time() + 60 ) ) {
			return;
		}
		Answer::finish();
		$result = self::connect( $url, $code, 0 );
		if ( is_wp_error( $result ) && ( in_array( $result->get_error_code(), array( 'svc_connector_url', 'svc_connector_code', 'svc_connector_proof' ), true ) || in_array( $result->get_error_data(), array( array( 'status' => 400 ), array( 'status' => 403 ), array( 'status' => 404 ) ), true ) ) ) {
			$refusal = array( 'code' => $fingerprint, 'reason' => $result->get_error_message() );
			update_option( self::OPTION_REFUSED, wp_json_encode( $refusal ), false );
		}
	}

	/** Tells the service, signed by this site; a copy must not speak for it. The service does not depend on it: a lost notice is no failure. */
	private static function notice( Identity $identity, string $method ): void {
		$secret = $identity->is_elsewhere() ? null : $identity->secret();
		if ( null === $secret ) {
			return;
		}
		$body    = '{"method":"' . $method . '","params":{}}';
		$notice  = array( 'body' => $body, 'site_id' => $identity->get( 'site_id' ), 'request_id' => 'req_' . bin2hex( random_bytes( 12 ) ), 'nonce' => Wire::nonce() );
		$headers = Wire::sign_notice( $notice, $secret, time() );
		Wire::forget( $secret );
		self::post( $identity->get( 'service_url' ) . '/connector/v1/notice', $body, $headers );
	}

	/**
	 * One POST; not wp_safe_remote_post, because an administrator chose this address and it may be on the own network.
	 *
	 * @param array<string,string> $headers Request headers.
	 * @return array<string,mixed>|\WP_Error
	 */
	private static function post( string $url, string $body, array $headers ) {
		$answer = wp_remote_post(
			$url,
			array(
				'timeout'             => 15,
				'redirection'         => 0,
				'limit_response_size' => 65536,
				'headers'             => $headers,
				'body'                => $body,
				'user-agent'          => 'svc-connector/' . VERSION,
			)
		);
		if ( is_wp_error( $answer ) ) {
			/* translators: 1: address, 2: technical reason. */
			return new \WP_Error( 'svc_connector_unreachable', sprintf( __( 'This site cannot reach %1$s: %2$s', 'svc-connector' ), $url, $answer->get_error_message() ) );
		}
		return $answer;
	}
}
