<?php
// The new version, laid ready before anything is touched.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Downloaded and unpacked once, by core's own upgraders; tried where that can be done (Trial), and then moved to its place. */
final class Staged {

	/** Why a version of this item cannot be tried before it is installed, or ''. */
	public static function obstacle( Item $item, Journal $journal ): string {
		$root = $item->parts()[0];
		if ( $journal->get( 'fetching' ) && ! self::is_there( $journal ) ) {
			return 'fetching_it_took_too_long'; // The host ended that request; `updates.apply` is asked what became of it.
		}
		if ( 'plugin' === $item->type ? ! $item->is_active() : 'theme' !== $item->type || get_stylesheet() !== $item->file ) {
			return 'nothing_shows_it'; // WordPress itself and translations have no second place; a parent theme is read by its child.
		}
		if ( 'plugin' === $item->type && ( '.' === dirname( $item->file ) || untrailingslashit( WP_CONTENT_DIR ) . '/plugins' !== $root ) ) {
			return 'no_folder_of_its_own';
		}
		if ( 'theme' === $item->type && get_theme_root( get_template() ) !== get_theme_root( $item->file ) ) {
			return 'parent_lies_elsewhere'; // In a trial there is one folder of themes.
		}
		if ( ! function_exists( 'symlink' ) ) {
			return 'links_cannot_be_made';
		}
		return Door::is_foreign( $journal ) || ! wp_is_writable( ABSPATH ) ? 'no_way_before_wordpress' : '';
	}

	/** Fetches it; why that did not work, or ''. */
	public static function fetch( Item $item, array $offer, Journal $journal ): string {
		if ( self::is_there( $journal ) ) {
			return '';
		}
		$folder = $journal->data( 'staged' );
		if ( ! is_dir( $folder ) && ! mkdir( $folder, 0755 ) ) {
			return 'not_writable';
		}
		$journal->put( array( 'fetching' => true ) );
		require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
		Updates::prepare();
		$upgrade = new Upgrade( $item, $offer, $journal );
		$failure = $upgrade->fetch( $folder );
		if ( ! self::is_there( $journal ) ) {
			return '' === $failure ? 'unchanged' : $failure;
		}
		return '';
	}

	/** Whether it waits to be moved to its place. */
	public static function is_there( Journal $journal ): bool {
		list( $staged, $tried ) = self::places( $journal );
		return is_dir( $staged ) || is_dir( $tried );
	}

	/** Takes it in from where core unpacked it; a copy that is not whole has another name. */
	public static function take( string $from, string $to ): void {
		if ( ! @rename( $from, $to ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Another disk is a reason to copy.
			$copier = new Copier( INF );
			$copier->copy( $from, "$to.part" );
			rename( "$to.part", $to );
		}
	}

	/** The folder from which core takes it, where nothing else lies; '' where there is none. */
	public static function hand_over( Journal $journal ): string {
		list( $staged, $tried ) = self::places( $journal );
		return ( is_dir( $staged ) && ! is_dir( $tried ) ) || ( is_dir( $tried ) && rename( $tried, $staged ) ) ? dirname( $staged ) : '';
	}

	/** Where it waits, and where it lies while it is tried. */
	private static function places( Journal $journal ): array {
		$own = '/' . $journal->get( 'names' )[0];
		return array( $journal->data( 'staged' ) . $own, $journal->data( 'trial' ) . $own );
	}

	/**
	 * Lays a folder of plugins, or of themes, in which it stands in the place of the old version, and opens the door that leads there. It lies there
	 * itself: PHP resolves links, and what stands beside it is to be found from it. Why that cannot be, or ''.
	 */
	public static function lay_out( Journal $journal ): string {
		if ( Door::is_foreign( $journal ) ) {
			return 'no_way_before_wordpress'; // Somebody has shut the site while it was fetched.
		}
		$trial = $journal->data( 'trial' );
		$keeps = self::without_transactions();
		if ( null === $keeps || ( ! is_dir( $trial ) && ! mkdir( $trial, 0755 ) ) ) {
			return null === $keeps ? 'tables_unknown' : 'not_writable';
		}
		$root  = (string) $journal->get( 'roots' )['item'];
		$own   = (string) $journal->get( 'names' )[0];
		$names = Leftovers::names( $root );
		foreach ( array_diff( $names, array( $own ) ) as $name ) {
			$from = "$root/$name";
			if ( is_link( "$trial/$name" ) || is_file( "$trial/$name" ) ) {
				continue;
			}
			// WordPress knows a linked folder by its place among the plugins, but not a linked file.
			if ( is_dir( $from ) ? ! @symlink( $from, "$trial/$name" ) : ! @copy( $from, "$trial/$name" ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words.
				self::hand_over( $journal );
				Leftovers::clear( $trial );
				rmdir( $trial );
				return 'links_cannot_be_made';
			}
		}
		list( $staged, $tried ) = self::places( $journal );
		if ( ! is_dir( $tried ) && ! rename( $staged, $tried ) ) {
			return 'not_writable';
		}
		$journal->put( array( 'keeps' => $keeps, 'sqlite' => 'sqlite' === Tables::engine() ) );
		Door::arm( $journal, array( ABSPATH . '.maintenance' ) );
		return '';
	}

	/** Tables of this site that keep what is written in a transaction that is rolled back; null: unknown. */
	private static function without_transactions(): ?array {
		global $wpdb;
		if ( 'sqlite' === Tables::engine() ) {
			return array();
		}
		$sql   = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME LIKE %s AND ENGINE <> 'InnoDB' LIMIT 1000";
		$names = $wpdb->get_col( $wpdb->prepare( $sql, $wpdb->esc_like( $wpdb->base_prefix ) . '%' ) ); // phpcs:ignore WordPress.DB -- A question to the server, with nothing in it but the prefix.
		return '' === $wpdb->last_error && is_array( $names ) ? $names : null;
	}
}
