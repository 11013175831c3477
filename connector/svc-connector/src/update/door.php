<?php
// Runs before every plugin while an update is under way: a few comparisons on an ordinary page.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

( static function (): void {
	$dir   = dirname( __DIR__ );
	$read  = static function () use ( $dir ): ?array {
		$state = is_file( "$dir/state.php" ) ? json_decode( (string) strstr( (string) file_get_contents( "$dir/state.php" ), "\n" ), true, 16 ) : null;
		return is_array( $state ) ? $state : null;
	};
	// False where it is gone: the update may end in this moment, and what lies here with it.
	$load  = static function ( array $names ): bool {
		foreach ( $names as $name ) {
			$class = __NAMESPACE__ . '\\' . str_replace( '-', '', ucwords( $name, '-' ) );
			if ( ! class_exists( $class, false ) ) {
				@include_once __DIR__ . "/class-$name.php"; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
			}
			if ( ! class_exists( $class, false ) ) {
				return false;
			}
		}
		return true;
	};
	// The service may ask once more what was taken back, and what is kept is being cleared away; all else is as it was.
	$over  = static function ( ?array $state ): bool {
		return null === $state || in_array( $state['phase'], array( 'rolled_back', 'committed' ), true );
	};
	$state = $read();
	if ( null === $state ) {
		return;
	}
	if ( function_exists( 'wp_cache_flush' ) && is_file( "$dir/uncached" ) ) {
		wp_cache_flush();
		@unlink( "$dir/uncached" ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Another request may have done so.
	}
	// phpcs:disable WordPress.Security -- Compared, or hashed; the gate judges the rest.
	if ( ( isset( $_GET['svc-connector'] ) && 'rescue' === $_GET['svc-connector'] ) || time() >= $state['deadline'] || is_file( "$dir/ended" ) ) {
		require_once __DIR__ . '/rescue.php';
	}
	if ( $over( $state ) ) {
		return;
	}
	if ( 'cli' !== PHP_SAPI ) {
		$state = $load( array( 'code-lock' ) ) && CodeLock::share( $dir ) ? $read() : $state;
		if ( $over( $state ) ) {
			return;
		}
	}
	$looker = '';
	foreach ( array( 'probe' => 'look', 'trial' => 'trial' ) as $word => $name ) {
		$asked = $_GET[ "svc-connector-$word" ] ?? '';
		$mark  = is_string( $asked ) && preg_match( '/^([0-9a-f]{32})([0-9a-f]{64})$/D', $asked, $found ) && hash_equals( hash_hmac( 'sha256', "$word $found[1]", $state['echo'] ), $found[2] ) ? $found[1] : '';
		if ( '' === $mark || is_file( "$dir/nonces/$mark" ) ) {
			continue;
		}
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- A full disk is no reason not to look.
		@touch( "$dir/nonces/$mark" );
		@touch( "$dir/looked" ); // Not heard: a version that hangs lets a look begin, and no more.
		// phpcs:enable WordPress.PHP.NoSilencedErrors
		if ( 'trial' === $word ) {
			if ( ! $load( array( 'journal', 'around', 'hanging', 'statement', 'transaction', 'trial' ) ) || ! Trial::begin( $state, $mark ) ) {
				continue;
			}
		}
		$looker = $name;
		if ( 'cron' === ( $_GET['svc-connector-as'] ?? '' ) && ! defined( 'DOING_CRON' ) ) {
			define( 'DOING_CRON', true ); // WordPress begins as WP-Cron does; no event is run by that.
		}
		// Only this site, now, can answer this question: what a cache kept does not count.
		header( 'Svc-Connector-Probe: ' . hash_hmac( 'sha256', "$word $asked", $state['echo'] ) );
		if ( function_exists( 'add_filter' ) ) {
			add_filter( 'woocommerce_checkout_redirect_empty_cart', '__return_false', PHP_INT_MAX ); // Else nobody without a cart sees the checkout.
		}
		if ( ! defined( 'DONOTCACHEPAGE' ) ) {
			define( 'DONOTCACHEPAGE', true );
		}
		// Whatever the page says of itself: caches that are no plugin go by this alone.
		header_register_callback(
			static function (): void {
				header( 'Cache-Control: no-store, private, max-age=0' );
				header( 'X-LiteSpeed-Cache-Control: no-cache' );
			}
		);
	}
	// phpcs:enable
	if ( function_exists( 'add_filter' ) ) {
		add_filter( 'automatic_updater_disabled', '__return_true', PHP_INT_MAX ); // Of the same item it would be taken for the update, and it shuts the site.
	}
	if ( in_array( $state['phase'], array( 'swapping', 'swapped' ), true ) && $load( array( 'hanging' ) ) ) {
		Hanging::begin( $dir, Hanging::JUDGED );
	}
	// The command line passes no rule of the web server: that it came says nothing.
	if ( 'cli' !== PHP_SAPI && ! defined( 'WP_CLI' ) && in_array( $state['phase'], array( 'armed', 'swapping', 'swapped' ), true ) && $load( array( 'journal', 'gates' ) ) ) {
		Gates::begin( $state );
	}
	$reserve = str_repeat( 'x', 131072 );
	register_shutdown_function(
		static function () use ( $read, $load, $looker, &$reserve ): void {
			$reserve = null; // When memory ran out, this much is there again.
			$error   = error_get_last();
			if ( is_array( $error ) && ( $error['type'] & ( E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR ) ) ) {
				$state = $read();
				if ( null !== $state && $load( array( 'journal', 'fatals' ) ) && ! ( 'trial' === $looker && Trial::lacks() ) ) {
					Fatals::note( $state, $error, $looker );
				}
			}
		}
	);
} )();
