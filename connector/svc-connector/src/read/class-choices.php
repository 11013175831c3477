<?php
// Who may do everything here, and the settings that decide what this site is.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** What the verb `inventory` tells beside what is installed, so that the service sees what others changed. */
final class Choices {

	/** Administrators by number and login, and settings. Of the administrator's address only a digest leaves the site: that it changed can be seen, and it cannot be read. */
	public static function told(): array {
		return array(
			'admins'   => self::admins(),
			'settings' => array(
				'siteurl'             => Site::clip( (string) get_option( 'siteurl' ), 500 ),
				'home'                => Site::clip( (string) get_option( 'home' ), 500 ),
				'users_can_register'  => Security::registration()['open'],
				'default_role'        => Site::clip( (string) get_option( 'default_role' ), 60 ),
				'admin_email'         => substr( hash( 'sha256', 'admin_email ' . strtolower( trim( (string) get_option( 'admin_email' ) ) ) ), 0, 32 ),
				'blog_public'         => '0' !== (string) get_option( 'blog_public', '1' ),
				'permalink_structure' => Site::clip( (string) get_option( 'permalink_structure' ), 200 ),
			),
		);
	}

	/** Administrators; null when not all of them are known, for nobody is to seem gone who was only not told. */
	private static function admins(): ?array {
		$admins = Security::administrators();
		if ( array() === $admins || count( $admins ) > Security::MOST ) {
			return null;
		}
		return array_map(
			static function ( array $person ): array {
				return array( 'id' => $person['id'], 'login' => $person['login'] );
			},
			$admins
		);
	}
}
