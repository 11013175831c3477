<?php
// One run of core's own upgraders.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

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

	/** An upgrade that has not begun. */
	public function __construct( Item $item, array $offer, Journal $journal ) {
		$this->item    = $item;
		$this->offer   = $offer;
		$this->journal = $journal;
		$this->skin    = new \WP_Ajax_Upgrader_Skin();
	}

	/** Leaves the new version in a folder, and all else as it is; why that did not work as far as core says. */
	public function fetch( string $folder ): string {
		remove_all_actions( 'upgrader_process_complete' ); // Nothing was updated.
		$this->keep_open();
		$take = static function ( $source, $around ) use ( $folder ) {
			if ( ! is_string( $source ) ) {
				return $source;
			}
			$source = untrailingslashit( $source );
			Staged::take( $source, $folder . '/' . basename( $source ) );
			Leftovers::discard( untrailingslashit( (string) $around ) );
			return new \WP_Error( 'svc_connector_fetched', 'It is laid ready.' );
		};
		add_filter( 'upgrader_source_selection', $take, PHP_INT_MAX, 2 );
		return $this->run();
	}

	/** Replaces the item; why it did not work as far as core says, or ''. */
	public function replace(): string {
		$this->keep_open();
		return $this->run();
	}

	private function run(): string {
		try {
			$answer = $this->call();
			if ( is_wp_error( $answer ) ) {
				$this->skin->error( $answer );
			}
		} catch ( \Throwable $error ) {
			$this->skin->error( new \WP_Error( 'svc_connector_exception', get_class( $error ) . ': ' . $error->getMessage() ) );
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
			$upgrader = new class( $this->skin ) extends \Core_Upgrader {
				use Careful;
			};
			return $upgrader->upgrade( $this->offer['core'] );
		}
		$arguments = array( 'clear_update_cache' => 'translations' === $this->item->type );
		$upgrader  = $this->upgrader();
		$results   = $upgrader->bulk_upgrade( 'translations' === $this->item->type ? array() : array( $this->item->file ), $arguments );
		if ( false === $results ) {
			return new \WP_Error( 'svc_connector_filesystem', 'WordPress cannot write to its own folders.' );
		}
		$errors = array_filter( is_array( $results ) ? $results : array( $results ), 'is_wp_error' );
		return $errors ? reset( $errors ) : true;
	}

	/** Core's own, but for the notice and the time a folder is gone. */
	private function upgrader(): \WP_Upgrader {
		if ( 'translations' === $this->item->type ) {
			return new class( $this->skin ) extends \Language_Pack_Upgrader {
				use Careful;
			};
		}
		$upgrader = 'theme' === $this->item->type
			? new class( $this->skin ) extends \Theme_Upgrader {
				use Brief;
			}
			: new class( $this->skin ) extends \Plugin_Upgrader {
				use Brief;
			};

		$upgrader->away    = $this->journal->side( 'new', 1000000 );
		$upgrader->staged  = Staged::hand_over( $this->journal );
		$upgrader->journal = $this->journal;
		return $upgrader;
	}

	/** Shuts the site only while files are exchanged one by one, with the way back open. */
	private function keep_open(): void {
		$journal = $this->journal;
		Package::watch( $this->item );
		if ( 'core' === $this->item->type ) {
			// Core has written its notice when it says the next thing: ours takes its place.
			add_filter(
				'update_feedback',
				static function ( $said ) use ( $journal ) {
					if ( Door::is_foreign( $journal ) ) {
						Door::shut( $journal );
					}
					return $said;
				}
			);
			return;
		}
		add_filter(
			'upgrader_package_options',
			static function ( $options ) {
				unset( $options['hook_extra']['temp_backup'] ); // There is a better copy, and making this one takes the folder away for 200 ms.
				return $options;
			}
		);
		if ( ! function_exists( 'move_dir' ) ) {
			// Before WordPress 6.2 files are deleted and copied one by one.
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

	/** What core said on the way, as plain text. */
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

/** An upgrader that shuts no site, and takes the old folder away in one step, at the last moment. */
trait Brief {

	use Careful;

	/** @var string Where the old folder goes. */
	public $away = '';

	/** @var string Where the new one waits, or ''. */
	public $staged = '';

	/** @var Journal */
	public $journal;

	/**
	 * What is laid ready is not fetched again.
	 *
	 * @param string $package          Its address.
	 * @param bool   $check_signatures As core says.
	 * @param array  $hook_extra       As core says.
	 * @return string|\WP_Error
	 */
	public function download_package( $package, $check_signatures = false, $hook_extra = array() ) {
		return '' === $this->staged ? parent::download_package( $package, $check_signatures, $hook_extra ) : $this->staged;
	}

	/**
	 * No notice.
	 *
	 * @param bool $enable Not asked.
	 */
	public function maintenance_mode( $enable = false ) {} // phpcs:ignore

	/**
	 * Core would delete file by file. Until the new folder is there no request loads code; before WordPress 6.2 it comes file by file, and the site is shut.
	 * So it is where the folder cannot be moved: that it is of another disk, or of a container's image, is a reason to do as core does.
	 *
	 * @param string $remote_destination The folder that is replaced.
	 * @return bool|\WP_Error
	 */
	public function clear_destination( $remote_destination ) {
		$folder = untrailingslashit( $remote_destination );
		if ( function_exists( 'move_dir' ) ) {
			CodeLock::take( $this->journal->dir );
		}
		if ( is_dir( $folder ) && ! is_link( $folder ) ) {
			if ( @rename( $folder, $this->away ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As said above.
				return true;
			}
			Door::shut( $this->journal ); // It is opened when the item is replaced.
		}
		return parent::clear_destination( $remote_destination );
	}

	/**
	 * The new folder is there, or it failed.
	 *
	 * @param array $args As core says.
	 * @return array|\WP_Error
	 */
	public function install_package( $args = array() ) {
		try {
			return parent::install_package( $args );
		} finally {
			CodeLock::let_go();
		}
	}
}
