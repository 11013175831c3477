<?php
// What the site tells strangers about its users and its version.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Callbacks of Hardening that are loaded only where they are asked. */
final class Privacy {

	/**
	 * Archives of authors are not there: neither ?author=1 nor /author/name.
	 *
	 * @param array<string,mixed> $query Of a page.
	 */
	public static function without_authors( $query ) {
		if ( ! is_array( $query ) || is_admin() || ( ! isset( $query['author'] ) && ! isset( $query['author_name'] ) ) ) {
			return $query;
		}
		return array( 'error' => '404' );
	}

	/**
	 * Who may write here may also see who else does: the editor needs it. Nobody else.
	 *
	 * @param mixed            $result  Of an earlier filter.
	 * @param \WP_REST_Server  $server  Of the API.
	 * @param \WP_REST_Request $request To the API, also one inside a batch or an embed.
	 * @return mixed
	 */
	public static function refuse_users( $result, $server, $request ) {
		if ( ! preg_match( '#^/wp/v2/users(/|$)#i', (string) $request->get_route() ) || current_user_can( 'edit_posts' ) || current_user_can( 'list_users' ) ) {
			return $result;
		}
		if ( is_user_logged_in() && preg_match( '#^/wp/v2/users/me(/|$)#i', (string) $request->get_route() ) ) {
			return $result;
		}
		return new \WP_Error( 'rest_user_cannot_view', __( 'Sorry, you are not allowed to list users.', 'svc-connector' ), array( 'status' => rest_authorization_required_code() ) );
	}

	/**
	 * A post that is shown elsewhere does not name its author's address.
	 *
	 * @param array<string,mixed> $data Of oEmbed.
	 */
	public static function without_author( $data ) {
		return is_array( $data ) ? array_diff_key( $data, array( 'author_name' => 1, 'author_url' => 1 ) ) : $data;
	}

	/**
	 * No sitemap of users.
	 *
	 * @param mixed  $provider Of a sitemap.
	 * @param string $name     Of the provider.
	 * @return mixed
	 */
	public static function without_users( $provider, $name ) {
		return 'users' === $name ? false : $provider;
	}

	/**
	 * A wrong name and a wrong password are the same to whoever tries.
	 *
	 * @param mixed $user User, error or null.
	 * @return mixed
	 */
	public static function one_error( $user ) {
		if ( ! is_wp_error( $user ) || ! array_intersect( $user->get_error_codes(), array( 'invalid_username', 'invalid_email', 'incorrect_password' ) ) ) {
			return $user;
		}
		return new \WP_Error( 'svc_connector_wrong', __( '<strong>Error:</strong> The name or the password is wrong.', 'svc-connector' ) );
	}

	/**
	 * The form shakes as it always does.
	 *
	 * @param string[] $codes Of errors.
	 */
	public static function shake( $codes ) {
		return array_merge( (array) $codes, array( 'svc_connector_wrong', 'svc_connector_too_many' ) );
	}

	/**
	 * Asking for a new password looks the same whether there is such an account or not.
	 *
	 * @param \WP_Error      $errors So far.
	 * @param \WP_User|false $user   Who was found.
	 * @return \WP_Error
	 */
	public static function one_reply( $errors, $user ) {
		$unknown = ! $user && is_wp_error( $errors ) && ! array_diff( $errors->get_error_codes(), array( 'invalid_email', 'invalidcombo' ) );
		if ( ! $unknown || ! did_action( 'login_init' ) ) {
			return $errors;
		}
		wp_safe_redirect( 'wp-login.php?checkemail=confirm' );
		exit;
	}

	/**
	 * Feeds name authors; whose name is what he logs in with, is there called as the site is.
	 *
	 * @param mixed $name As it is shown.
	 * @return mixed
	 */
	public static function no_login_in_feeds( $name ) {
		if ( ! is_string( $name ) || '' === $name || ! is_feed() ) {
			return $name;
		}
		return get_user_by( 'login', $name ) || get_user_by( 'slug', sanitize_title( $name ) ) ? get_bloginfo_rss( 'name' ) : $name;
	}

	/**
	 * A comment's classes do not carry its author's login name.
	 *
	 * @param string[] $classes Of a comment.
	 */
	public static function without_names( $classes ) {
		return array_values( (array) preg_grep( '/^comment-author-/', (array) $classes, PREG_GREP_INVERT ) );
	}

	/**
	 * Files of WordPress get a word in the place of its version; it changes with the version, so caches still notice an update.
	 *
	 * @param mixed $address Of a script or a style.
	 * @return mixed
	 */
	public static function without_version( $address ) {
		$version = get_bloginfo( 'version' );
		return is_string( $address ) ? preg_replace( '/([?&;](?:ver|version)=)' . preg_quote( $version, '/' ) . '(?=$|[&\#])/', '${1}' . self::word( $version ), $address ) : $address;
	}

	/**
	 * The same where WordPress puts several files into one.
	 *
	 * @param \WP_Dependencies $files Scripts or styles.
	 */
	public static function default_version( $files ): void {
		$files->default_version = self::word( get_bloginfo( 'version' ) );
	}

	private static function word( string $version ): string {
		// Not wp_salt: a plugin may ask for scripts before WordPress has it.
		return substr( hash_hmac( 'sha256', $version, ABSPATH . ( defined( 'NONCE_SALT' ) ? NONCE_SALT : '' ) ), 0, 8 );
	}
}
