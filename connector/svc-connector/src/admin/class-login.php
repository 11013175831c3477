<?php
// One-click login.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The site knows only the hash of a ticket; who removes its row, of all who try, is let in. */
final class Login {

	const OPTION_LOG = 'svc_connector_logins';

	/** Of the pages of a link, in the colours of WordPress's login. */
	const STYLE = 'body{margin:0;background:#f0f0f1;color:#3c434a;font:14px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,sans-serif}'
		. 'main{max-width:320px;margin:0 auto;padding:8% 16px}h1{margin:0 0 8px;font-size:16px}p{margin:8px 0 0}form{text-align:center}'
		. '.is-refused{padding:12px 16px;background:#fff;border-inline-start:4px solid #d63638;box-shadow:0 1px 1px rgba(0,0,0,.04)}'
		. 'button{padding:8px 16px;border:0;border-radius:3px;background:#2271b1;color:#fff;font:inherit;cursor:pointer}';

	/** The verb `login.issue`. */
	public static function issue( array $params, Identity $identity ): array {
		$hash      = Verbs::text( $params, 'ticket_sha256', '/^[0-9a-f]{64}$/D' );
		$requester = Site::clip( sanitize_text_field( Verbs::text( $params, 'requester', '/^.{1,500}$/us' ) ), 200 );
		$ends      = time() + Verbs::number( $params, 'ttl', 60, 60 );
		$user      = self::administrator( $params['user'] ?? null, $identity );
		$ticket    = wp_json_encode( array( 'user' => $user->ID, 'requester' => $requester ) );
		if ( ! Facts::add( 't.' . $hash, (string) $ticket, $ends ) ) {
			throw new Problem( 'bad_request', 'This ticket was used before.' );
		}
		self::log( 'issued', $user->ID, $requester );
		return array(
			'login_url'  => home_url( '/' ) . '?svc-connector-login=',
			'user_login' => $user->user_login,
			'expires_at' => $ends,
		);
	}

	/** GET shows a page with a button and keeps the ticket, because link previews only GET; POST uses it up. */
	public static function redeem(): void {
		// phpcs:disable WordPress.Security.NonceVerification -- The ticket is the proof; there is no session yet that could be abused.
		$posted = isset( $_SERVER['REQUEST_METHOD'] ) && 'POST' === $_SERVER['REQUEST_METHOD'];
		$raw    = $posted ? ( $_POST['svc_connector_ticket'] ?? '' ) : ( $_GET['svc-connector-login'] ?? '' ); // phpcs:ignore WordPress.Security -- Sanitised in the next line.
		$ticket = is_string( $raw ) ? sanitize_text_field( wp_unslash( $raw ) ) : '';
		// phpcs:enable
		if ( ! defined( 'DONOTCACHEPAGE' ) ) {
			define( 'DONOTCACHEPAGE', true );
		}
		if ( ob_get_level() > 0 ) {
			ob_clean();
		}
		nocache_headers();
		header( 'Cache-Control: no-store, private, max-age=0' );
		header( 'Referrer-Policy: no-referrer' );
		header( 'X-Robots-Tag: noindex' );

		$row      = preg_match( '/^[A-Za-z0-9_-]{43}$/D', $ticket ) ? 't.' . hash( 'sha256', $ticket ) : '';
		$stored   = '' !== $row ? Facts::get( $row ) : null;
		$identity = Identity::load();
		if ( null === $stored || null === $identity || $identity->is_clone() ) {
			self::refuse();
		} elseif ( ! $posted ) {
			self::show_form( $ticket );
		} else {
			self::enter( $row, (array) json_decode( $stored, true, 4 ) );
		}
		exit;
	}

	/**
	 * Starts the session for the one caller who removed the ticket.
	 *
	 * @param array<string,mixed> $ticket User id and requester.
	 */
	private static function enter( string $row, array $ticket ): void {
		$user = get_userdata( (int) ( $ticket['user'] ?? 0 ) );
		if ( ! Facts::remove( $row ) || ! $user || ! self::is_administrator( $user ) ) {
			self::refuse();
			return;
		}
		wp_set_current_user( $user->ID );
		wp_set_auth_cookie( $user->ID );
		self::log( 'used', $user->ID, (string) ( $ticket['requester'] ?? '' ) );
		do_action( 'wp_login', $user->user_login, $user ); // As after any login: records of logins see it, and second factors ask.
		wp_safe_redirect( admin_url() );
	}

	private static function refuse(): void {
		status_header( 403 );
		self::page(
			'<div class="is-refused"><h1>' . esc_html__( 'This login link does not work any more', 'svc-connector' ) . '</h1><p>'
			. esc_html__( 'It has been used, is too old, or is not known: a link works once, and for a minute.', 'svc-connector' ) . '</p><p>'
			. esc_html__( 'Ask for a new one where you have this one from, and open it at once.', 'svc-connector' ) . '</p></div>',
			''
		);
	}

	private static function show_form( string $ticket ): void {
		self::page(
			'<form id="svc-connector" method="post" action="' . esc_url( home_url( '/' ) . '?svc-connector-login=' . $ticket ) . '">'
			. '<input type="hidden" name="svc_connector_ticket" value="' . esc_attr( $ticket ) . '">'
			. '<button type="submit">' . esc_html__( 'Log in', 'svc-connector' ) . '</button></form>',
			'document.getElementById("svc-connector").submit()'
		);
	}

	/** A page that looks like WordPress's own login. The first argument is HTML that is already escaped, the second one of our scripts, or ''. */
	private static function page( string $html, string $script ): void {
		$nonce   = Wire::nonce();
		$runs    = '' === $script ? '' : "script-src 'nonce-$nonce'; ";
		$scripts = '' === $script ? '' : '<script nonce="' . esc_attr( $nonce ) . '">' . $script . '</script>';
		header( "Content-Security-Policy: default-src 'none'; style-src 'nonce-$nonce'; {$runs}base-uri 'none'; frame-ancestors 'none'" );
		header( 'Content-Type: text/html; charset=utf-8' );
		// phpcs:disable WordPress.Security.EscapeOutput -- Escaped by the callers, but for what is a literal here.
		echo '<!doctype html><html lang="' . esc_attr( get_bloginfo( 'language' ) ) . '" dir="' . ( is_rtl() ? 'rtl' : 'ltr' ) . '"><head><meta charset="utf-8">'
			. '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><title>'
			. esc_html__( 'Log in', 'svc-connector' ) . '</title><style nonce="' . esc_attr( $nonce ) . '">' . self::STYLE . '</style></head><body><main>'
			. $html . '</main>' . $scripts . '</body></html>';
		// phpcs:enable
	}

	/**
	 * The named administrator, or the one who paired.
	 *
	 * @param mixed $name Login or e-mail address, or null.
	 */
	private static function administrator( $name, Identity $identity ): \WP_User {
		if ( null === $name ) {
			$user = get_userdata( $identity->number( 'paired_by' ) );
		} elseif ( is_string( $name ) && '' !== $name ) {
			$user = get_user_by( 'login', $name );
			$user = $user ? $user : get_user_by( 'email', $name );
		} else {
			throw new Problem( 'bad_request', 'Parameter user must be a login or an e-mail address.' );
		}
		if ( ! $user || ! self::is_administrator( $user ) ) {
			throw new Problem( 'not_found', 'There is no such administrator on this site.' );
		}
		return $user;
	}

	/** Who looks into wp-admin for the service: who paired, or else any administrator. */
	public static function inspector(): ?\WP_User {
		$identity = Identity::load();
		$paired   = null === $identity ? false : get_userdata( $identity->number( 'paired_by' ) );
		if ( $paired && self::is_administrator( $paired ) ) {
			return $paired;
		}
		$asked = is_multisite() ? array( 'login__in' => get_super_admins(), 'blog_id' => 0 ) : array( 'role' => 'administrator' );
		$other = get_users( $asked + array( 'number' => 1 ) )[0] ?? null;
		return $other && self::is_administrator( $other ) ? $other : null;
	}

	private static function is_administrator( \WP_User $user ): bool {
		$has_role = is_multisite() ? is_super_admin( $user->ID ) : in_array( 'administrator', (array) $user->roles, true );
		return $has_role && user_can( $user, 'manage_options' );
	}

	/** Keeps the last 20 issues and uses, never a ticket. */
	private static function log( string $event, int $user_id, string $requester ): void {
		$log   = json_decode( (string) get_option( self::OPTION_LOG, '[]' ), true, 4 );
		$log   = is_array( $log ) ? array_slice( $log, -19 ) : array();
		$log[] = array(
			'time'      => time(),
			'event'     => $event,
			'user'      => $user_id,
			'requester' => $requester,
		);
		update_option( self::OPTION_LOG, wp_json_encode( $log ), false );
	}
}
