<?php
// Whether the foreign keys of tables that come back in another form can be made.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Keys are made again when the tables have been exchanged, and one that the database refuses then would end a restore after all its work. So
 * each is tried between two empty tables, in the forms that its ends would have. Where it is refused, one of the two stays as it is.
 */
final class KeyRehearsal {

	const CHILD = 'svc_connector_new_0000_x1'; // The other is Rehearsal::TABLE.

	/** @var \mysqli Where foreign keys are not checked. */
	private $db;

	/** @var array<string,string> Definitions of the tables that come back in another form. */
	private $creates;

	/** @var float When there is no time left. */
	private $until;

	/** @var array<string,bool|null> What is known already: by the key, and which of its ends come back. */
	private $said = array();

	private function __construct( \mysqli $db, array $creates, float $until ) {
		$this->db      = $db;
		$this->creates = $creates;
		$this->until   = $until;
	}

	/**
	 * Of these tables those that have to stay as they are: table => `keys`; those of which a key could not be tried: table => ''.
	 *
	 * @param array<string,string> $creates Definitions that the database takes, by table.
	 * @param string[]             $apart   Tables that go, or of which it is not known how they come back: no key between them and these is tried.
	 */
	public static function refused( \mysqli $db, array $creates, array $apart, float $until ): array {
		$live = Catalog::keys( $db, array_map( 'strval', array_keys( $creates ) ) );
		$live = array_filter(
			$live,
			static function ( array $key ) use ( $apart ): bool {
				return ! in_array( $key['table'], $apart, true );
			}
		);
		$try   = new self( $db, $creates, $until );
		$found = array();
		do {
			$stays = $try->first_refused( $live, $apart );
			if ( '' !== $stays ) {
				$found[ $stays ] = 'keys'; // What stays has the keys it has, so all is looked at once more.
				unset( $try->creates[ $stays ] );
			}
		} while ( '' !== $stays );
		return $found + $try->untried( $live, $apart );
	}

	/** The table that stays because of the first key that is refused: the one that brings it, or else the one it refers to. */
	private function first_refused( array $live, array $apart ): string {
		foreach ( $this->keys( $live, $apart ) as $key ) {
			if ( false === $this->is_made( $key ) ) {
				return isset( $this->creates[ $key['table'] ] ) ? $key['table'] : $key['references'];
			}
		}
		return '';
	}

	/** Tables of which a key could not be tried. */
	private function untried( array $live, array $apart ): array {
		$found = array();
		foreach ( $this->keys( $live, $apart ) as $key ) {
			if ( null === $this->is_made( $key ) ) {
				$found += array_fill_keys( array( $key['table'], $key['references'] ), '' );
			}
		}
		return array_intersect_key( $found, $this->creates );
	}

	/**
	 * Keys that would be made with these tables: those they bring, and those that tables which stay as they are have to them. Where both ends come
	 * back there is a choice, so they are last: by then one may have to stay because of another key.
	 */
	private function keys( array $live, array $apart ): array {
		$keys = array( array(), array() );
		foreach ( $this->creates as $table => $create ) {
			foreach ( Dump::keys( $create ) as $name => $key ) {
				if ( '' !== $key['references'] && ! in_array( $key['references'], $apart, true ) ) {
					$keys[ (int) isset( $this->creates[ $key['references'] ] ) ][] = array( 'table' => (string) $table, 'name' => (string) $name ) + $key;
				}
			}
		}
		foreach ( $live as $key ) {
			if ( ! isset( $this->creates[ $key['table'] ] ) && isset( $this->creates[ $key['references'] ] ) ) {
				$keys[0][] = $key;
			}
		}
		return array_merge( ...$keys );
	}

	/** Whether the database makes a key; null where that could not be tried. */
	private function is_made( array $key ): ?bool {
		$ends = array( $key['table'], $key['name'], isset( $this->creates[ $key['table'] ] ), $key['references'], isset( $this->creates[ $key['references'] ] ) );
		$id   = implode( "\0", $ends );
		if ( ! array_key_exists( $id, $this->said ) ) {
			$this->said[ $id ] = microtime( true ) >= $this->until ? null : $this->trial( $key );
		}
		return $this->said[ $id ];
	}

	/** The same, tried; none of its tables is left. */
	private function trial( array $key ): ?bool {
		$to = $key['references'];
		if ( ! isset( $this->creates[ $to ] ) && 0 !== strpos( Catalog::definition( $this->db, $to ), 'CREATE TABLE' ) ) {
			return true; // A key may refer to what is not there.
		}
		$parent = $to === $key['table'] ? self::CHILD : Rehearsal::TABLE;
		try {
			if ( ! $this->lay( $key['table'], self::CHILD ) || ( self::CHILD !== $parent && ! $this->lay( $to, $parent ) ) ) {
				return null;
			}
			$child  = Catalog::quote( self::CHILD );
			$clause = str_replace( ') REFERENCES ' . Catalog::quote( $to ) . ' (', ') REFERENCES ' . Catalog::quote( $parent ) . ' (', $key['clause'] );
			$clause = "CONSTRAINT $child" . substr( $clause, strlen( 'CONSTRAINT ' . Catalog::quote( $key['name'] ) ) );
			$is     = $this->db->query( "ALTER TABLE $child ADD $clause" );
			return false === $is && in_array( $this->db->errno, Ties::PASSES, true ) ? null : false !== $is;
		} finally {
			Rehearsal::clear( $this->db );
		}
	}

	/** An empty table in the form that one would have. */
	private function lay( string $table, string $as ): bool {
		$like = 'CREATE TABLE ' . Catalog::quote( $as ) . ' LIKE ' . Catalog::quote( $table );
		return false !== $this->db->query( isset( $this->creates[ $table ] ) ? Loading::definition( $this->creates[ $table ], $table, $as ) : $like );
	}
}
