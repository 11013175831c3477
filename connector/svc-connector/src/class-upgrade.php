<?php
// One run of core's own upgraders.
namespace Svc\Connector;

/**
 * Core shuts the site for a whole download; here it stays open, and where files cannot be exchanged at once it is shut for just that.
 * Whether the update happened the files say, never an upgrader.
 */
final class Upgrade {

	/** @var Item What is updated. */
	private $item;

	/** @var array<string,mixed> From Offers::find(). */
	private $offer;

	/** @var Journal The guarded update. */
	private $journal;

	/** @var \WP_Ajax_Upgrader_Skin Hears what core says. */
	private $skin;

	/**
	 * An upgrade that has not begun.
	 *
	 * @param array<string,mixed> $offer From Offers::find().
	 */
	public function __construct( Item $item, array $offer, Journal $journal ) {
		$this->item    = $item;
		$this->offer   = $offer;
		$this->journal = $journal;
		$this->skin    = new \WP_Ajax_Upgrader_Skin();
	}

	/** Why it did not work as far as core says, or ''. */
	public function run(): string {
		$this->keep_open();
		try {
			$answer = $this->call();
			if ( is_wp_error( $answer ) ) {
				$this->skin->error( $answer );
			}
		} catch ( \Throwable $error ) {
			$this->skin->error( new \WP_Error( 'svc_exception', get_class( $error ) . ': ' . $error->getMessage() ) );
		}
		return Site::clip( wp_strip_all_tags( $this->skin->get_error_messages() ), 300 );
	}

	/**
	 * The bulk upgraders even for one item: the single one deactivates a plugin.
	 *
	 * @return mixed
	 */
	private function call() {
		if ( 'core' === $this->item->type ) {
			$upgrader = new \Core_Upgrader( $this->skin );
			return $upgrader->upgrade( $this->offer['core'] );
		}
		$arguments = array( 'clear_update_cache' => 'translations' === $this->item->type );
		$upgrader  = $this->upgrader();
		$results   = $upgrader->bulk_upgrade( 'translations' === $this->item->type ? array() : array( $this->item->file ), $arguments );
		if ( false === $results ) {
			return new \WP_Error( 'svc_filesystem', 'WordPress cannot write to its own folders.' );
		}
		$errors = array_filter( is_array( $results ) ? $results : array( $results ), 'is_wp_error' );
		return $errors ? reset( $errors ) : true;
	}

	/** Core's own, but for the notice. */
	private function upgrader(): \WP_Upgrader {
		if ( 'translations' === $this->item->type ) {
			return new \Language_Pack_Upgrader( $this->skin );
		}
		if ( 'theme' === $this->item->type ) {
			return new class( $this->skin ) extends \Theme_Upgrader {
				/**
				 * No notice.
				 *
				 * @param bool $enable Not asked.
				 */
				public function maintenance_mode( $enable = false ) {} // phpcs:ignore
			};
		}
		return new class( $this->skin ) extends \Plugin_Upgrader {
			/**
			 * No notice.
			 *
			 * @param bool $enable Not asked.
			 */
			public function maintenance_mode( $enable = false ) {} // phpcs:ignore
		};
	}

	/** Shuts the site only while files are exchanged one by one, with the way back open. */
	private function keep_open(): void {
		$journal = $this->journal;
		if ( 'core' === $this->item->type ) {
			// Core has written its notice when it says the next thing: ours takes its place.
			add_filter(
				'update_feedback',
				static function ( $said ) use ( $journal ) {
					if ( file_exists( ABSPATH . '.maintenance' ) && Door::is_foreign( $journal ) ) {
						Door::shut( $journal );
					}
					return $said;
				}
			);
		} elseif ( ! function_exists( 'move_dir' ) ) {
			// Before WordPress 6.3 files are deleted and copied one by one.
			$shut = static function ( $passed ) use ( $journal ) {
				Door::shut( $journal );
				return $passed;
			};
			$open = static function ( $passed ) use ( $journal ) {
				Door::open( $journal );
				return $passed;
			};
			add_filter( 'upgrader_pre_install', $shut, PHP_INT_MAX );
			add_filter( 'upgrader_install_package_result', $open, PHP_INT_MIN );
		}
	}

	/**
	 * What core said on the way, as plain text.
	 *
	 * @return string[]
	 */
	public function messages(): array {
		$texts = array();
		foreach ( array_slice( (array) $this->skin->get_upgrade_messages(), 0, 30 ) as $message ) {
			$text = Site::clip( trim( html_entity_decode( wp_strip_all_tags( (string) $message ), ENT_QUOTES, 'UTF-8' ) ), 300 );
			if ( '' !== $text ) {
				$texts[] = $text;
			}
		}
		return $texts;
	}
}
