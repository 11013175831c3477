<?php
// The command `wp svc-connector`.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Connects this site to its management service. */
final class Cli {

	/**
	 * Connects this site.
	 *
	 * ## OPTIONS
	 *
	 * [--service=<url>]
	 * : Address of the service. On a single site --url, which WP-CLI keeps for itself, is understood too.
	 *
	 * [--code=<code>]
	 * : Connection code from the service. Read from standard input when it is left out.
	 *
	 * ## EXAMPLES
	 *
	 *     wp svc-connector connect --service=https://service.example --code=XXXXX-XXXXX-XXXXX-XXXXX
	 *
	 * @param string[]             $arguments None.
	 * @param array<string,string> $options   Service, code.
	 */
	public function connect( array $arguments, array $options ): void {
		$service = isset( $options['service'] ) ? (string) $options['service'] : (string) \WP_CLI::get_config( 'url' );
		if ( '' === $service || ( ! isset( $options['service'] ) && untrailingslashit( $service ) === untrailingslashit( home_url() ) ) ) {
			\WP_CLI::error( __( 'Give the address of the service: --service=https://service.example', 'svc-connector' ) );
		}
		$code   = isset( $options['code'] ) ? (string) $options['code'] : trim( (string) fgets( STDIN ) );
		$result = Enrolment::connect( $service, $code, get_current_user_id() );
		if ( is_wp_error( $result ) ) {
			\WP_CLI::error( $result->get_error_message() );
		}
		$identity = Identity::load();
		/* translators: %s: site id. */
		\WP_CLI::success( sprintf( __( 'The service knows this site as %s now.', 'svc-connector' ), null === $identity ? '' : $identity->get( 'site_id' ) ) );
		\WP_CLI::line( Settings::contact( (int) get_option( Identity::OPTION_SEEN, 0 ) ) );
	}

	/**
	 * Shows the state of the connection. The exit code is 1 when it is not connected, or the service has not come by so far.
	 *
	 * @param string[] $arguments None.
	 */
	public function status( array $arguments ): void {
		$identity = Identity::load();
		if ( null === $identity ) {
			\WP_CLI::line( __( 'Not connected.', 'svc-connector' ) );
			\WP_CLI::halt( 1 );
			return;
		}
		$trouble = Settings::trouble( $identity );
		$seen    = (int) get_option( Identity::OPTION_SEEN, 0 );
		\WP_CLI::line( '' === $trouble ? Settings::contact( $seen ) : $trouble );
		\WP_CLI::line( 'service: ' . $identity->get( 'service_url' ) );
		\WP_CLI::line( 'site_id: ' . $identity->get( 'site_id' ) );
		\WP_CLI::line( 'last_contact: ' . ( $seen > 0 ? gmdate( 'c', $seen ) : '-' ) );
		\WP_CLI::halt( '' === $trouble && $seen > 0 ? 0 : 1 );
	}

	/**
	 * Disconnects this site and deletes its keys.
	 *
	 * @param string[] $arguments None.
	 */
	public function disconnect( array $arguments ): void {
		Enrolment::disconnect();
		\WP_CLI::success( __( 'Disconnected. All keys were deleted.', 'svc-connector' ) );
	}
}
