<?php
// A version that is not installed yet, as one signed request meets it. Knows nothing of WordPress until that has loaded.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * WordPress boots with the new version in place of the one that is installed, for a look of the service alone. Begun by `.maintenance`, which
 * is asked before WordPress says where plugins are. What is written to the database is in a transaction that is never committed; mails and
 * requests to others are held back, and so is what no transaction can take back. What the new version had to go without is noted, by request, and
 * whether code of the installed one ran as well: then a failure may be the trial's own. What other code had to go without says nothing of the version,
 * unless that code died of it.
 */
final class Trial {

	const SECONDS = 20; // Of processor time.
	const WAITS   = 3;  // Seconds for a lock of a visitor.
	const DEADLY  = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;

	/** @var Trial|null The one of this request. */
	private static $now = null;

	/** @var array<string,mixed> The state of the update. */
	private $state;

	/** @var string Where the old version lies. */
	private $live;

	/** @var string By what the service knows this request. */
	private $nonce;

	/** @var bool True when the version had to go without something: then a failure may be the trial's own. */
	private $lacks = false;

	/** @var bool True when it was noted that the version writes. */
	private $writes = false;

	/** @var string not begun, beginning, open, lost, ending, over. */
	private $transaction = 'not begun';

	/** @var string What other code had to go without last, or ''. */
	private $others = '';

	/** @var array<string,bool> The plugins and themes, by their folders, that had to go without something. */
	private $lacking = array();

	/** @var Journal|null The update. */
	private $journal;

	/** @var array<string,string|false> The files around it, as they were when the request began. */
	private $around = array();

	/** @param array<string,mixed> $state Of the journal. */
	private function __construct( array $state, string $nonce ) {
		$this->state = $state;
		$this->nonce = $nonce;
		$this->live  = $state['roots']['item'] . '/' . $state['names'][0];

		$this->journal = Journal::open( $state['dir'] );
		$this->around  = null === $this->journal ? array() : Around::seen( $this->journal );
	}

	/** Whether this request is one. */
	public static function is_on(): bool {
		return null !== self::$now;
	}

	/** False where the trial cannot be: then the request is that of any visitor. */
	public static function begin( array $state, string $nonce = '' ): bool {
		$place = is_string( $state['place'] ?? null ) && 'armed' === ( $state['phase'] ?? '' ) ? $state['place'] . '/trial' : '';
		if ( '' === $place || ! is_dir( $place ) || defined( 'WP_PLUGIN_DIR' ) || ! function_exists( 'add_filter' ) ) {
			return false;
		}
		self::$now = new self( $state, $nonce );
		@touch( self::$now->marker() ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A full disk is no reason not to look.
		if ( 'plugin' === $state['type'] ) {
			define( 'WP_PLUGIN_DIR', $place );
		} else {
			add_filter(
				'theme_root',
				static function () use ( $place ) {
					return $place;
				}
			);
		}
		self::$now->keep_apart();
		return true;
	}

	/** Nothing of it gets out of this request. */
	private function keep_apart(): void {
		if ( function_exists( 'set_time_limit' ) ) {
			set_time_limit( self::SECONDS );
		}
		if ( function_exists( 'ini_set' ) ) {
			ini_set( 'default_socket_timeout', '3' ); // phpcs:ignore WordPress.PHP.IniSet -- Of what does not go through WordPress.
		}
		if ( ! defined( 'DISABLE_WP_CRON' ) ) {
			define( 'DISABLE_WP_CRON', true );
		}
		$no = static function () {
			return false;
		};
		// What these keep outlives a transaction.
		add_filter( 'enable_loading_object_cache_dropin', $no, PHP_INT_MAX );
		add_filter( 'enable_loading_advanced_cache_dropin', $no, PHP_INT_MAX );
		add_filter( 'flush_rewrite_rules_hard', $no, PHP_INT_MAX );
		add_filter( 'query', array( $this, 'query' ), PHP_INT_MAX );
		add_filter(
			'pre_wp_mail',
			static function () {
				return true;
			},
			PHP_INT_MAX
		);
		add_filter( 'pre_http_request', array( $this, 'ask_nobody' ), PHP_INT_MAX );
		add_filter( 'request_filesystem_credentials', array( $this, 'exchange_nothing' ), PHP_INT_MAX );
		add_filter( 'wp_delete_file', array( $this, 'keep_file' ), PHP_INT_MAX );
		foreach ( array( '', '_ajax', '_json', '_jsonp', '_xml', '_xmlrpc' ) as $kind ) {
			add_filter( "wp_die{$kind}_handler", array( $this, 'given_up' ), PHP_INT_MAX );
		}
		Hanging::begin( $this->state['dir'], Hanging::TRIAL );
		register_shutdown_function( array( $this, 'look_back' ) );
	}

	/**
	 * A statement as it may be carried out: itself, or one that does nothing.
	 *
	 * @param mixed $sql As wpdb got it.
	 * @return mixed
	 */
	public function query( $sql ) {
		if ( 'beginning' === $this->transaction || 'ending' === $this->transaction ) {
			return $sql;
		}
		$statement = new Statement( (string) $sql );
		// The SQLite of WordPress lets nobody else write from there on.
		if ( 'not begun' === $this->transaction && ( 'writes' === $statement->kind || ! $this->is_sqlite() ) ) {
			$this->begin_transaction();
		}
		$this->look_around();
		if ( 'reads' === $statement->kind || 'passes' === $statement->kind ) {
			return $sql;
		}
		if ( 'writes' === $statement->kind && 'open' === $this->transaction ) {
			$table = $this->without_transactions( $statement->plain );
			if ( '' !== $table ) {
				return $this->nothing( "rows of $table" );
			}
			$this->note_write();
			return $sql;
		}
		return $this->nothing( 'open' !== $this->transaction || 'within' === $statement->kind ? '' : "a statement that begins with $statement->word" );
	}

	private function begin_transaction(): void {
		$this->transaction = 'beginning';
		$began             = Transaction::begin( self::WAITS );
		$this->transaction = $began ? 'open' : 'lost';
		if ( ! $began ) {
			$this->note( Transaction::LOST );
		}
		Hanging::note( Transaction::connection() );
	}

	/**
	 * What has to outlive the request is written before its transaction begins, where that waits for what is written first.
	 *
	 * @return mixed What it answers.
	 */
	public static function before( callable $write ) {
		$trial = self::$now;
		if ( null === $trial || 'not begun' !== $trial->transaction || ! $trial->is_sqlite() ) {
			return $write();
		}
		$trial->transaction = 'beginning';
		try {
			return $write();
		} finally {
			$trial->transaction = 'not begun';
		}
	}

	/** What was said to a database that had ended the transaction says nothing of the version. */
	private function look_around(): void {
		if ( 'open' === $this->transaction && Transaction::is_lost() ) {
			$this->transaction = 'lost';
			$this->note( Transaction::LOST );
		}
	}

	/** A table that keeps what is written, by its name in the statement. */
	private function without_transactions( string $sql ): string {
		foreach ( (array) ( $this->state['keeps'] ?? array() ) as $table ) {
			if ( false !== stripos( $sql, $table ) ) {
				return $table;
			}
		}
		return '';
	}

	private function is_sqlite(): bool {
		return ! empty( $this->state['sqlite'] );
	}

	private function nothing( string $what ): string {
		if ( '' !== $what && $this->is_wanted_by_new() ) {
			$this->note( $what );
		} elseif ( '' !== $what ) {
			$this->others                     = $what;
			$this->lacking[ $this->asking() ] = true;
		}
		return $this->is_sqlite() ? 'SELECT 1' : 'DO 0';
	}

	/**
	 * Only the new version asking is noted: it may mind that nobody answers.
	 *
	 * @return \WP_Error
	 */
	public function ask_nobody() {
		if ( $this->is_wanted_by_new() ) {
			$this->note( 'a request to another server' );
		}
		return new \WP_Error( 'svc_connector', 'Nothing is asked of others while a version is tried.' );
	}

	/**
	 * By this WordPress asks before it deletes, installs or updates a plugin or a theme: the others are the live ones.
	 *
	 * @return false
	 */
	public function exchange_nothing() {
		if ( $this->is_wanted_by_new() ) {
			$this->note( 'a change of plugins or themes' );
		}
		return false;
	}

	/**
	 * The row that names it comes back with the transaction: so must the file, unless this request has made it.
	 *
	 * @param mixed $path That WordPress is to delete.
	 * @return mixed '' where it stays.
	 */
	public function keep_file( $path ) {
		$since = (int) ( $_SERVER['REQUEST_TIME'] ?? 0 ); // phpcs:ignore WordPress.Security -- A number.
		if ( ! is_string( $path ) || ! is_file( $path ) || filemtime( $path ) >= $since ) {
			return $path;
		}
		if ( $this->is_wanted_by_new() ) {
			$this->note( 'a file that goes' );
		}
		return '';
	}

	/** What the new version writes no other request of a trial finds. */
	private function note_write(): void {
		if ( ! $this->writes && $this->is_wanted_by_new() ) {
			$this->writes = true;
			touch( $this->state['place'] . '/wrote' );
		}
	}

	/** Whether the new version has called, at any remove, what is at work now. */
	private function is_wanted_by_new(): bool {
		$staged = $this->staged();
		foreach ( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) as $frame ) { // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- Who asks is the question.
			if ( 0 === strpos( $frame['file'] ?? '', $staged ) ) {
				return true;
			}
		}
		return false;
	}

	/** The folder of the plugin or theme that asks, or its file; '' is WordPress itself. */
	private function asking(): string {
		$self = dirname( __DIR__ );
		foreach ( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) as $frame ) { // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- As above.
			$file = $frame['file'] ?? '';
			if ( 0 !== strpos( $file, "$self/" ) && preg_match( '#/(?:mu-plugins|plugins|themes)/([^/]+)#', $file, $found ) ) {
				return $found[1];
			}
		}
		return '';
	}

	/**
	 * Whoever ends a page by a message, for want of what was held back from it, says nothing of the version.
	 *
	 * @param mixed $handler As WordPress has it.
	 * @return mixed
	 */
	public function given_up( $handler ) {
		$error = error_get_last(); // Of code that died look_back() tells.
		$asks  = $this->asking();
		if ( '' !== $asks && isset( $this->lacking[ $asks ] ) && ! ( is_array( $error ) && ( $error['type'] & self::DEADLY ) ) && ! $this->is_wanted_by_new() ) {
			$this->note( "$this->others, for want of which other code may have given up" );
		}
		return $handler;
	}

	/** Where PHP says that the new version's files are. */
	private function staged(): string {
		return (string) realpath( $this->state['place'] . '/trial' ) . '/' . $this->state['names'][0] . '/';
	}

	/** When the page has ended, however it did. */
	public function look_back(): void {
		register_shutdown_function( array( $this, 'put_back' ) ); // After all that others do when a page ends.
		$this->look_around();
		$error = error_get_last();
		if ( '' !== $this->others && is_array( $error ) && ( $error['type'] & self::DEADLY ) && false === strpos( $error['file'] . $error['message'], $this->staged() ) ) {
			$this->note( "$this->others, for want of which other code may have died" );
		}
		foreach ( array_unique( array( $this->live, (string) realpath( $this->live ) ) ) as $live ) {
			if ( '' !== $live && preg_grep( '#^' . preg_quote( $live, '#' ) . '(/|$)#', get_included_files() ) ) {
				$this->note( 'code of the installed version' );
				return;
			}
		}
	}

	/**
	 * Files outside of the new version that this request has written, and that run by themselves, are as they were before anybody else meets them. Once the
	 * version is installed it may write them.
	 */
	public function put_back(): void {
		$now = Journal::open( $this->state['dir'] );
		if ( null === $this->journal || null === $now || 'armed' !== $now->phase() ) {
			return;
		}
		try {
			$changed = Around::changed( $this->journal, $this->around );
			if ( $changed ) {
				Around::back( $this->journal, $changed );
			}
			@unlink( $this->marker() ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It is there once.
		} catch ( \Throwable $error ) {
			$this->note( 'a file that was changed beside it' );
		}
	}

	/** There until it has put back what it wrote. */
	private function marker(): string {
		return $this->state['place'] . "/tries-$this->nonce";
	}

	/** A text of PHP with the new version's files where they will be: the closed folder has a name that nobody is told. */
	public static function as_installed( string $text, array $state ): string {
		$staged = $state['place'] . '/trial';
		foreach ( array_filter( array( $staged, realpath( $staged ) ) ) as $folder ) {
			$text = str_replace( "$folder/", $state['roots']['item'] . '/', $text );
		}
		return $text;
	}

	/** The same in a request of a trial; in others the text as it is. */
	public static function told( string $text ): string {
		return null === self::$now ? $text : self::as_installed( $text, self::$now->state );
	}

	/** Nothing is written any more; before that what must outlive the request is, once. */
	public static function end( callable $write ): void {
		if ( null === self::$now || 'over' === self::$now->transaction ) {
			return;
		}
		self::$now->look_around();
		self::$now->put_back();
		self::$now->transaction = 'ending';
		Transaction::end();
		$write();
		self::$now->transaction = 'over';
	}

	/** One line each, and by which request. */
	private function note( string $what ): void {
		if ( ! $this->lacks ) {
			$this->lacks = true;
			Journal::append( $this->state['place'] . '/without', $this->nonce );
		}
		$path  = $this->state['place'] . '/held';
		$known = is_file( $path ) ? (array) file( $path, FILE_IGNORE_NEW_LINES ) : array();
		$line  = substr( (string) preg_replace( '/[^ -~]/', '', $what ), 0, 100 );
		if ( count( $known ) < 20 && ! in_array( $line, $known, true ) ) {
			Journal::append( $path, $line );
		}
	}

	/** What was held back of all trials of an update. */
	public static function held( Journal $journal ): array {
		$path = $journal->data( 'held' );
		return is_file( $path ) ? (array) file( $path, FILE_IGNORE_NEW_LINES ) : array();
	}

	/** The nonces of the requests from which something was held back. */
	public static function without( Journal $journal ): array {
		$path = $journal->data( 'without' );
		return is_file( $path ) ? array_slice( array_values( array_filter( (array) file( $path, FILE_IGNORE_NEW_LINES ) ) ), -500 ) : array();
	}

	/** Whether the new version wrote to the database in any of them. */
	public static function wrote( Journal $journal ): bool {
		return is_file( $journal->data( 'wrote' ) );
	}

	/** Whether something was held back from this request. */
	public static function lacks(): bool {
		return null !== self::$now && self::$now->lacks;
	}
}
