<?php
// This plugin among the active ones.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** A site that comes back without this plugin could not be asked any more. In a network it may be active for all its sites. */
final class Activation {

	/** Tables with lists of active plugins: name => whether the list is the network's. */
	public static function tables(): array {
		global $wpdb;
		return array( Tables::stored( $wpdb->options ) => false ) + ( is_multisite() ? array( Tables::stored( $wpdb->sitemeta ) => true ) : array() );
	}

	/** The statement that keeps this plugin active in a table that waits to become live; '' where that needs none. */
	public static function kept( string $table, bool $is_network ): string {
		list( $column, $where, $item ) = $is_network
			? array( 'meta_value', "meta_key = 'active_sitewide_plugins'", '/s:\d+:"([^"]*)";i:(\d+);/' )
			: array( 'option_value', "option_name = 'active_plugins'", '/s:\d+:"([^"]*)"()/' );

		$row = null;
		foreach ( Tables::fetch( "SELECT $column FROM " . Tables::quote( $table ) . " WHERE $where" ) as $found ) {
			$row = (string) $found[0];
		}
		$own  = plugin_basename( FILE );
		$live = $is_network ? (array) get_site_option( 'active_sitewide_plugins' ) : array_flip( (array) get_option( 'active_plugins' ) );
		preg_match_all( $item, (string) $row, $names );
		if ( null === $row || ! isset( $live[ $own ] ) || in_array( $own, $names[1], true ) ) {
			return '';
		}
		$all   = $is_network ? array( $own => (int) $live[ $own ] ) + array_map( 'intval', array_combine( $names[1], $names[2] ) ) : array_merge( array( $own ), $names[1] );
		$value = serialize( $all ); // phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions -- WordPress keeps the list so.
		return 'UPDATE ' . Tables::quote( $table ) . " SET $column = '" . esc_sql( $value ) . "' WHERE $where";
	}
}
