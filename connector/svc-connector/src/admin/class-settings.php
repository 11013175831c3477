<?php
// Settings → Svc Connector.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Shows the state of the connection; an administrator connects and disconnects here. */
final class Settings {

	const PAGE = 'svc-connector';

	/** Adds the page. */
	public static function register(): void {
		if ( self::is_allowed() ) {
			add_submenu_page( self::parent_page(), __( 'Svc Connector', 'svc-connector' ), __( 'Svc Connector', 'svc-connector' ), Rights::to_settings(), self::PAGE, array( self::class, 'show' ) );
		}
	}

	/**
	 * Adds a link in the list of plugins.
	 *
	 * @param string[] $links Links so far.
	 */
	public static function action_links( array $links ): array {
		if ( self::is_allowed() ) {
			array_unshift( $links, '<a href="' . esc_url( self::url() ) . '">' . esc_html__( 'Settings', 'svc-connector' ) . '</a>' );
		}
		return $links;
	}

	/** Tells administrators, on every screen, when the connection cannot work. */
	public static function notices(): void {
		if ( '1' !== get_option( Identity::OPTION_ON ) || ! self::is_allowed() ) {
			return;
		}
		$trouble = self::trouble( Identity::load() );
		if ( '' !== $trouble ) {
			printf( '<div class="notice notice-error"><p><strong>%1$s</strong> %2$s <a href="%3$s">%4$s</a></p></div>', esc_html__( 'Svc Connector:', 'svc-connector' ), esc_html( $trouble ), esc_url( self::url() ), esc_html__( 'Settings', 'svc-connector' ) );
		}
	}

	/** The form of the page, to admin-post.php. */
	public static function connect(): void {
		self::authorize( 'svc_connector_connect' );
		// phpcs:disable WordPress.Security.NonceVerification -- Checked in authorize().
		$url  = isset( $_POST['svc_connector_url'] ) ? esc_url_raw( trim( sanitize_text_field( wp_unslash( $_POST['svc_connector_url'] ) ) ), array( 'http', 'https' ) ) : '';
		$code = isset( $_POST['svc_connector_code'] ) ? sanitize_text_field( wp_unslash( $_POST['svc_connector_code'] ) ) : '';
		// phpcs:enable
		$result = Enrolment::connect( $url, $code, get_current_user_id() );
		if ( is_wp_error( $result ) ) {
			self::back( $result->get_error_message(), 'error' );
		} else {
			self::back( __( 'This site is now known to the service, which will check the connection in a moment.', 'svc-connector' ), 'success' );
		}
	}

	/** The button of the page, to admin-post.php. */
	public static function disconnect(): void {
		self::authorize( 'svc_connector_disconnect' );
		Enrolment::disconnect();
		self::back( __( 'This site is disconnected. All keys were deleted.', 'svc-connector' ), 'success' );
	}

	/** The page. */
	public static function show(): void {
		if ( ! self::is_allowed() ) {
			return;
		}
		$identity = Identity::load();
		echo '<div class="wrap"><h1>' . esc_html__( 'Svc Connector', 'svc-connector' ) . '</h1>';
		// Below Settings WordPress shows them itself, in the administration of a network nobody does.
		if ( is_multisite() ) {
			settings_errors( 'svc_connector' );
			echo '<p>' . esc_html__( 'The main site of a network can be connected, as one site; network-wide connection is not supported.', 'svc-connector' ) . '</p>';
		}
		if ( ! Identity::has_own_salts() ) {
			echo '<div class="notice notice-warning inline"><p>' . esc_html__( 'wp-config.php has no salts of its own, so a copy of the database alone would hold everything needed to pose as this site. Add the eight salt constants to wp-config.php before you connect.', 'svc-connector' ) . '</p></div>';
		}
		if ( null === $identity ) {
			self::show_refusal();
			self::show_form();
		} else {
			self::show_state( $identity );
		}
		echo '</div>';
	}

	private static function show_state( Identity $identity ): void {
		$seen    = (int) get_option( Identity::OPTION_SEEN, 0 );
		$trouble = self::trouble( $identity );
		/* translators: %s: a span of time such as "5 minutes". */
		$contact = $seen > 0 ? sprintf( __( '%s ago', 'svc-connector' ), human_time_diff( $seen ) ) : __( 'not yet', 'svc-connector' );
		$lines   = array(
			__( 'State', 'svc-connector' )        => '' === $trouble ? self::contact( $seen ) : $trouble,
			__( 'Service', 'svc-connector' )      => $identity->get( 'service_url' ),
			__( 'Site id', 'svc-connector' )      => $identity->get( 'site_id' ),
			__( 'Last contact', 'svc-connector' ) => $contact,
		);
		echo '<table class="form-table" role="presentation">';
		foreach ( $lines as $label => $value ) {
			echo '<tr><th scope="row">' . esc_html( $label ) . '</th><td>' . esc_html( $value ) . '</td></tr>';
		}
		echo '</table><p>' . esc_html__( 'To connect this site again, or with another service, disconnect it first.', 'svc-connector' ) . '</p>';
		echo '<details><summary class="button button-secondary">' . esc_html__( 'Disconnect…', 'svc-connector' ) . '</summary>';
		echo '<form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '"><input type="hidden" name="action" value="svc_connector_disconnect">';
		wp_nonce_field( 'svc_connector_disconnect' );
		echo '<p>' . esc_html__( 'The keys of this connection are deleted here at once: the service makes no more backups and updates of this site and can restore nothing to it. What it has stored stays there. Connecting again takes a new code.', 'svc-connector' ) . '</p>';
		submit_button( __( 'Yes, disconnect this site', 'svc-connector' ), 'delete', 'submit', false );
		echo '</form></details>';
	}

	/** Only the service knows whether it gets through; that it did is seen here by its first signed request. */
	public static function contact( int $seen ): string {
		if ( 0 === $seen ) {
			return __( 'Not connected yet: the service has not come by so far. It looks within a minute; if this stays, it cannot reach this site, and says there why.', 'svc-connector' );
		}
		return __( 'Connected', 'svc-connector' );
	}

	private static function show_form(): void {
		$url = defined( 'SVC_CONNECTOR_URL' ) ? (string) SVC_CONNECTOR_URL : '';
		echo '<h2>' . esc_html__( 'Connect this site', 'svc-connector' ) . '</h2>';
		echo '<p>' . esc_html__( 'Ask the operator of your service for a connection code, then paste it here. A code works once, for 15 minutes.', 'svc-connector' ) . '</p>';
		echo '<form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '"><input type="hidden" name="action" value="svc_connector_connect">';
		wp_nonce_field( 'svc_connector_connect' );
		echo '<table class="form-table" role="presentation"><tr><th scope="row"><label for="svc_connector_url">' . esc_html__( 'Service address', 'svc-connector' ) . '</label></th>'
			. '<td><input class="regular-text" type="url" id="svc_connector_url" name="svc_connector_url" required value="' . esc_attr( $url ) . '" placeholder="https://"></td></tr>'
			. '<tr><th scope="row"><label for="svc_connector_code">' . esc_html__( 'Connection code', 'svc-connector' ) . '</label></th>'
			. '<td><input class="regular-text code" type="text" id="svc_connector_code" name="svc_connector_code" required autocomplete="off" spellcheck="false" placeholder="XXXXX-XXXXX-XXXXX-XXXXX"></td></tr></table>';
		submit_button( __( 'Connect', 'svc-connector' ) );
		echo '</form>';
	}

	/** What the service said to the code in wp-config.php. */
	private static function show_refusal(): void {
		$refused = json_decode( (string) get_option( Enrolment::OPTION_REFUSED, '' ), true, 4 );
		if ( is_array( $refused ) && isset( $refused['reason'] ) ) {
			/* translators: %s: reason. */
			echo '<div class="notice notice-error inline"><p>' . esc_html( sprintf( __( 'The code in wp-config.php did not work. %s', 'svc-connector' ), $refused['reason'] ) ) . '</p></div>';
		}
	}

	/** Why the connection cannot work, or ''. */
	public static function trouble( ?Identity $identity ): string {
		if ( null === $identity ) {
			return __( 'The record of the connection is damaged. Connect this site again.', 'svc-connector' );
		}
		if ( null === $identity->secret() ) {
			return __( 'The key of this site cannot be read, because the salts in wp-config.php have changed or this is a copy of another site. Disconnect this site, then connect it again.', 'svc-connector' );
		}
		if ( $identity->is_clone() ) {
			return __( 'This is a copy of the site that was connected, or that site has moved. The service may look but not change anything. Disconnect this site, then connect it again as what it is.', 'svc-connector' );
		}
		return '';
	}

	private static function is_allowed(): bool {
		return Rights::may_pair( get_current_user_id() );
	}

	private static function authorize( string $action ): void {
		if ( ! self::is_allowed() ) {
			wp_die( esc_html__( 'You are not allowed to do this.', 'svc-connector' ), '', array( 'response' => 403 ) );
		}
		check_admin_referer( $action );
	}

	/** Back to the page with a message. */
	private static function back( string $message, string $type ): void {
		add_settings_error( 'svc_connector', 'svc_connector', esc_html( $message ), $type );
		set_transient( 'settings_errors', get_settings_errors(), 30 );
		wp_safe_redirect( add_query_arg( 'settings-updated', 'true', self::url() ) );
		exit;
	}

	private static function parent_page(): string {
		return is_multisite() ? 'settings.php' : 'options-general.php';
	}

	private static function url(): string {
		return network_admin_url( self::parent_page() . '?page=' . self::PAGE ); // Of a single site, its own.
	}
}
