<?php
// An object cache that tells nobody else what it is told.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Stands in the place of a cache that outlives the request while a screen is inspected: it knows what that one knows, and what is written, deleted
 * or emptied is so for this request alone. What is never committed to the database must be told to no visitor, not for a moment either.
 */
final class Unshared {

	const GROUP = 'svc-connector';

	/** @var object The cache of the site. */
	private $shared;

	/** @var array<string,array|null> Values by group and key, each in a list; null: it was deleted. */
	private $own = array();

	/** @var bool True when nothing of what the site's cache has counts any more. */
	private $is_emptied = false;

	private function __construct( $shared ) {
		$this->shared = $shared;
	}

	/** Begins one; null where no cache outlives the request, or the functions of WordPress pass by what stands in its place. */
	public static function begin(): ?self {
		global $wp_object_cache;
		if ( ! wp_using_ext_object_cache() || ! is_object( $wp_object_cache ) ) {
			return null;
		}
		$cache           = new self( $wp_object_cache );
		$wp_object_cache = $cache; // phpcs:ignore WordPress.WP.GlobalVariablesOverride -- Until the screen was made.
		wp_cache_set( 'look', 1, self::GROUP );
		if ( array_key_exists( self::id( 'look', self::GROUP ), $cache->own ) ) {
			return $cache;
		}
		$cache->end();
		wp_cache_delete( 'look', self::GROUP );
		return null;
	}

	/** The site's own is in its place again. */
	public function end(): void {
		$GLOBALS['wp_object_cache'] = $this->shared; // phpcs:ignore WordPress.WP.GlobalVariablesOverride -- As it was.
	}

	// phpcs:disable Squiz.Commenting.FunctionComment -- As in WordPress.
	public function get( $key, $group = 'default', $force = false, &$found = null ) {
		$id = self::id( $key, $group );
		if ( $this->is_emptied || array_key_exists( $id, $this->own ) ) {
			$found = isset( $this->own[ $id ] );
			return $found ? self::copied( $this->own[ $id ][0] ) : false;
		}
		$found = null;
		$value = $this->shared->get( $key, $group, $force, $found );
		$found = $found ?? false !== $value;
		return $value;
	}

	public function get_multiple( $keys, $group = 'default', $force = false ) {
		$own = function ( $key ) use ( $group ): bool {
			return $this->is_emptied || array_key_exists( self::id( $key, $group ), $this->own );
		};
		// At once: each question may be one to another machine.
		$others = array_values( array_filter( $keys, function ( $key ) use ( $own ): bool { return ! $own( $key ); } ) );
		$shared = $others && method_exists( $this->shared, 'get_multiple' ) ? $this->shared->get_multiple( $others, $group, $force ) : array();
		$values = array();
		foreach ( $keys as $key ) {
			$values[ $key ] = $own( $key ) || ! array_key_exists( $key, $shared ) ? $this->get( $key, $group, $force ) : $shared[ $key ];
		}
		return $values;
	}

	public function set( $key, $data, $group = 'default' ) {
		$this->own[ self::id( $key, $group ) ] = array( self::copied( $data ) );
		return true;
	}

	public function add( $key, $data, $group = 'default' ) {
		return ! $this->has( $key, $group ) && $this->set( $key, $data, $group );
	}

	public function replace( $key, $data, $group = 'default' ) {
		return $this->has( $key, $group ) && $this->set( $key, $data, $group );
	}

	public function delete( $key, $group = 'default' ) {
		$was                                   = $this->has( $key, $group );
		$this->own[ self::id( $key, $group ) ] = null;
		return $was;
	}

	public function incr( $key, $offset = 1, $group = 'default' ) {
		$value = $this->get( $key, $group );
		$value = max( 0, ( is_numeric( $value ) ? (int) $value : 0 ) + (int) $offset );
		return $this->has( $key, $group ) && $this->set( $key, $value, $group ) ? $value : false;
	}

	public function decr( $key, $offset = 1, $group = 'default' ) {
		return $this->incr( $key, - (int) $offset, $group );
	}

	public function flush() {
		$this->own        = array();
		$this->is_emptied = true;
		return true;
	}

	/** What else an object cache may be asked: the same for many keys, by another name, or what changes nothing. */
	public function __call( $name, $arguments ) {
		if ( preg_match( '/^(add|set|delete)_multiple$/D', $name, $found ) ) {
			$done = array();
			foreach ( $arguments[0] as $key => $value ) {
				$key          = 'delete' === $found[1] ? $value : $key;
				$done[ $key ] = 'delete' === $found[1] ? $this->delete( $key, $arguments[1] ?? 'default' ) : $this->{$found[1]}( $key, $value, $arguments[1] ?? 'default' );
			}
			return $done;
		}
		$alike = array( 'increment' => 'incr', 'decrement' => 'decr', 'flush_group' => 'flush' )[ $name ] ?? '';
		return '' === $alike ? $this->shared->$name( ...$arguments ) : $this->$alike( ...$arguments );
	}

	public function &__get( $name ) {
		return $this->shared->$name;
	}

	public function __set( $name, $value ) {
		$this->shared->$name = $value;
	}

	public function __isset( $name ) {
		return isset( $this->shared->$name );
	}
	// phpcs:enable

	private function has( $key, $group ): bool {
		$this->get( $key, $group, false, $found );
		return $found;
	}

	private static function id( $key, $group ): string {
		return get_current_blog_id() . ' ' . ( $group ? $group : 'default' ) . " $key";
	}

	/** As WordPress does: who has it may change it. */
	private static function copied( $value ) {
		return is_object( $value ) ? clone $value : $value;
	}
}
