<?php
// As much of WordPress's database class as the verbs of a restore ask for.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The site's database without WordPress; `dbh` is null where it does not answer. */
final class BareDatabase {

	/** @var string Prefix of the tables. */
	public $prefix;

	/** @var string The same: it is the main site of a network that is paired. */
	public $base_prefix;

	/** @var string Where a network keeps its options. */
	public $sitemeta;

	/** @var string Table of options. */
	public $options;

	/** @var string What the last statement failed with. */
	public $last_error = '';

	/** @var \mysqli|null The connection. */
	public $dbh = null;

	/** @var array<string,string> Options as they were, for when the table cannot be read. */
	private $remembered;

	/**
	 * Connects as wp-config.php says.
	 *
	 * @param array<string,string> $remembered Options as they were.
	 */
	public function __construct( string $prefix, array $remembered ) {
		$this->prefix      = $prefix;
		$this->base_prefix = $prefix;
		$this->options     = $prefix . 'options';
		$this->sitemeta    = $prefix . 'sitemeta';
		$this->remembered  = $remembered;
		try {
			$this->dbh = Connection::open();
		} catch ( \Throwable $error ) {
			$this->last_error = $error->getMessage();
		}
	}

	/** Whether the table of options is there to be read. */
	public function has_options(): bool {
		return null !== $this->dbh && Catalog::has_site( $this->dbh, $this->options );
	}

	/** An option, or what it was when the site was last heard. */
	public function option( string $name ): ?string {
		$rows = $this->get_results( $this->prepare( 'SELECT option_value FROM ' . Tables::quote( $this->options ) . ' WHERE option_name = %s', array( $name ) ), ARRAY_N );
		return $rows[0][0] ?? ( $this->has_options() ? null : $this->remembered[ $name ] ?? null );
	}

	/** Changed rows, or false. */
	public function query( string $sql ) {
		return $this->run( $sql ) ? max( 0, (int) $this->dbh->affected_rows ) : false;
	}

	/** Rows, or null. */
	public function get_results( string $sql, string $kind ) {
		$result = $this->run( $sql );
		return $result instanceof \mysqli_result ? $result->fetch_all( ARRAY_N === $kind ? MYSQLI_NUM : MYSQLI_ASSOC ) : null;
	}

	/** The first value, or null. */
	public function get_var( string $sql ) {
		return $this->get_results( $sql, ARRAY_N )[0][0] ?? null;
	}

	/**
	 * A statement with its texts in place.
	 *
	 * @param string[] $texts One for each %s.
	 */
	public function prepare( string $sql, array $texts ): string {
		return vsprintf(
			$sql,
			array_map(
				function ( string $text ): string {
					return "'" . ( null === $this->dbh ? '' : $this->dbh->real_escape_string( $text ) ) . "'";
				},
				$texts
			)
		);
	}

	/** Nothing is shown here. */
	public function suppress_errors(): bool {
		return true;
	}

	/** As the database has it. */
	public function get_charset_collate(): string {
		return 'DEFAULT CHARACTER SET utf8mb4';
	}

	/**
	 * Runs one statement.
	 *
	 * @return \mysqli_result|bool
	 */
	private function run( string $sql ) {
		if ( null === $this->dbh ) {
			$this->last_error = 'The database does not answer.';
			return false;
		}
		$result           = $this->dbh->query( $sql );
		$this->last_error = false === $result ? $this->dbh->error : '';
		return $result;
	}
}
