<?php
// Who this site is to the service: the record of the pairing and its keys.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The pairing. The private key in it is sealed under the salts of wp-config.php, so a copy of the database cannot sign. */
final class Identity {

	const OPTION      = 'svc_connector_site';
	const OPTION_SEEN = 'svc_connector_seen';
	const OPTION_ON   = 'svc_connector_on'; // The only autoloaded one: '1' while paired.

	/** @var array<string,mixed> The stored record. */
	private $record;

	/**
	 * Only through load() and create().
	 *
	 * @param array<string,mixed> $record The stored record.
	 */
	private function __construct( array $record ) {
		$this->record = $record;
	}

	/** The pairing, or null when there is none. */
	public static function load(): ?self {
		$record = json_decode( (string) get_option( self::OPTION, '' ), true, 4 );
		if ( ! is_array( $record ) || empty( $record['site_id'] ) || empty( $record['public'] ) || null === Wire::bytes( (string) $record['public'], 32 ) ) {
			return null;
		}
		return new self( $record );
	}

	/**
	 * The pairing from a record kept elsewhere.
	 *
	 * @param array<string,mixed> $record From record().
	 */
	public static function of( array $record ): self {
		return new self( $record );
	}

	/** The stored record; the private key in it is sealed. */
	public function record(): array {
		return $this->record;
	}

	/**
	 * Stores a new pairing over any earlier one.
	 *
	 * @param array<string,mixed> $pairing Service_url, site_id, keyid, public, paired_by.
	 */
	public static function create( array $pairing, string $key_pair ): self {
		Wire::load_sodium();
		$identity = new self(
			$pairing + array(
				'install_id'  => Install::id(),
				'home'        => Install::host( home_url() ),
				'paired_at'   => time(),
				'next_keyid'  => '',
				'next_public' => '',
				'site_public' => base64_encode( sodium_crypto_sign_publickey( $key_pair ) ),
				'site_secret' => self::seal( sodium_crypto_sign_secretkey( $key_pair ) ),
			)
		);
		self::forget();
		$identity->save();
		update_option( self::OPTION_ON, '1', true );
		return $identity;
	}

	/** Forgets keys, tickets and nonces, and ends what the service began. */
	public static function forget(): void {
		update_option( self::OPTION_ON, '0', true );
		delete_option( self::OPTION );
		delete_option( self::OPTION_SEEN );
		delete_option( Remembered::OPTION );
		Facts::clear();
		Standing::forget();
		MustUse::forget();
		Kept::forget();
		Leftovers::abandon();
	}

	/** A text field of the record: site_id, service_url, site_public, keyid, next_keyid. */
	public function get( string $name ): string {
		return isset( $this->record[ $name ] ) ? (string) $this->record[ $name ] : '';
	}

	/** A number in the record: paired_at, paired_by. */
	public function number( string $name ): int {
		return isset( $this->record[ $name ] ) ? (int) $this->record[ $name ] : 0;
	}

	/** Raw public keys of the service by key id. */
	public function service_keys(): array {
		$keys = array();
		foreach ( array( 'keyid' => 'public', 'next_keyid' => 'next_public' ) as $id => $field ) {
			$raw = Wire::bytes( $this->get( $field ), 32 );
			if ( '' !== $this->get( $id ) && null !== $raw ) {
				$keys[ $this->get( $id ) ] = $raw;
			}
		}
		return $keys;
	}

	/** Makes a key the next one. Its first verified use makes it the current one. */
	public function set_next_key( string $keyid, string $public_key ): void {
		$this->record['next_keyid']  = $keyid;
		$this->record['next_public'] = $public_key;
		$this->save();
	}

	/** Called with the key of each admitted request: the next key retires the old one. */
	public function key_was_used( string $keyid ): void {
		if ( hash_equals( $this->get( 'install_id' ), Install::short_id() ) ) {
			$this->record['install_id'] = Install::id(); // The service speaks to this site, so it is no copy.
			$this->save();
		}
		if ( '' !== $this->get( 'next_keyid' ) && $keyid === $this->get( 'next_keyid' ) && ! $this->is_clone() ) {
			$this->record['keyid']       = $this->record['next_keyid'];
			$this->record['public']      = $this->record['next_public'];
			$this->record['next_keyid']  = '';
			$this->record['next_public'] = '';
			$this->save();
		}
	}

	/** The site's signing key, or null when the salts, or the key given, are not those it was sealed under. */
	public function secret( ?string $key = null ): ?string {
		$secret = self::unseal( $this->get( 'site_secret' ), $key );
		return null === $secret && '' !== $this->get( 'other_secret' ) ? self::unseal( $this->get( 'other_secret' ), $key ) : $secret;
	}

	private static function unseal( string $sealed, ?string $key ): ?string {
		Wire::load_sodium();
		$sealed = base64_decode( $sealed, true );
		if ( false === $sealed || strlen( $sealed ) < SODIUM_CRYPTO_SECRETBOX_NONCEBYTES + SODIUM_CRYPTO_SECRETBOX_MACBYTES ) {
			return null;
		}
		try {
			$secret = sodium_crypto_secretbox_open( substr( $sealed, SODIUM_CRYPTO_SECRETBOX_NONCEBYTES ), substr( $sealed, 0, SODIUM_CRYPTO_SECRETBOX_NONCEBYTES ), $key ?? self::sealing_key() );
		} catch ( \Throwable $error ) {
			return null;
		}
		return is_string( $secret ) && 64 === strlen( $secret ) ? $secret : null;
	}

	/** True when this database was copied to another installation. */
	public function is_clone(): bool {
		return ! hash_equals( $this->get( 'install_id' ), Install::id() ) && ! hash_equals( $this->get( 'other_install_id' ), Install::id() );
	}

	/** True where this is the installation that was connected, as it was at that address. */
	public function was_at( string $home ): bool {
		return '' !== $home && hash_equals( $this->get( 'install_id' ), Install::id( null, $home ) );
	}

	/** True where this may not speak for the site by itself: in a copy, and under another address, which wp-config.php may set for one page view. */
	public function is_elsewhere(): bool {
		return $this->is_clone() || ( '' !== $this->get( 'home' ) && Install::host( home_url() ) !== $this->get( 'home' ) );
	}

	/** Before the salts change: the key opens under those of now and those to come, whichever wp-config.php turns out to have. */
	public function prepare( string $salts ): void {
		$secret = $this->secret();
		if ( null === $secret ) {
			throw new Problem( 'failed', 'The key of this site does not open.' );
		}
		$this->record['other_secret']     = self::seal( $secret, $salts );
		$this->record['other_install_id'] = Install::id( $salts );
		$this->save();
	}

	/** Keeps what belongs to the salts that wp-config.php has now, and forgets the rest. */
	public function settle(): void {
		if ( '' === $this->get( 'other_secret' ) ) {
			return;
		}
		if ( hash_equals( $this->get( 'other_install_id' ), Install::id() ) ) {
			$this->record['site_secret'] = $this->record['other_secret'];
			$this->record['install_id']  = $this->record['other_install_id'];
		}
		unset( $this->record['other_secret'], $this->record['other_install_id'] );
		$this->save();
	}

	/** Notes that the service was here, at most every five minutes. */
	public function seen(): void {
		if ( (int) get_option( self::OPTION_SEEN, 0 ) < time() - 300 ) {
			update_option( self::OPTION_SEEN, (string) time(), false );
			Standing::keep( $this );
			MustUse::keep( $this );
		}
	}

	/** False when wp-config.php has no salts of its own; WordPress then keeps them in the database. */
	public static function has_own_salts(): bool {
		return '' !== self::configured_salts();
	}

	private function save(): void {
		update_option( self::OPTION, wp_json_encode( $this->record ), false );
		Standing::keep( $this );
	}

	private static function seal( string $secret, ?string $salts = null ): string {
		$nonce  = random_bytes( SODIUM_CRYPTO_SECRETBOX_NONCEBYTES );
		$sealed = base64_encode( $nonce . sodium_crypto_secretbox( $secret, $nonce, self::sealing_key( $salts ) ) );
		Wire::forget( $secret );
		return $sealed;
	}

	/** Seals the site's signing key; as secret as wp-config.php, from which it is made. */
	public static function sealing_key( ?string $salts = null ): string {
		return hash_hmac( 'sha256', 'svc-connector-key-1', $salts ?? self::salts(), true );
	}

	/** The secrets of wp-config.php, or what WordPress keeps in their place. */
	public static function salts(): string {
		$salts = self::configured_salts();
		return '' !== $salts ? $salts : wp_salt( 'secure_auth' );
	}

	private static function configured_salts(): string {
		$salts = '';
		foreach ( array( 'AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT' ) as $name ) {
			$salt   = defined( $name ) ? (string) constant( $name ) : '';
			$salts .= 'put your unique phrase here' === $salt ? '' : $salt;
		}
		return $salts;
	}
}
