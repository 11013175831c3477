<?php
// What a statement of SQL does to a transaction that lies around it. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Judged by how it begins: what is not known to stay within a transaction ends it, as every change of a table does in MySQL. */
final class Statement {

	const KINDS = array(
		'reads'  => array( 'SELECT', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'DO', 'SET', 'USE', 'PRAGMA', 'WITH' ),
		'writes' => array( 'INSERT', 'UPDATE', 'DELETE', 'REPLACE' ),
		'within' => array( 'START', 'BEGIN', 'COMMIT', 'SAVEPOINT', 'RELEASE' ), // Of a transaction that lies in ours.
	);

	/** @var string reads, writes, within, passes (a table that ends with the connection) or ends. */
	public $kind = 'ends';

	/** @var string How it begins. */
	public $word;

	/** @var string Without what stands before it. */
	public $plain;

	/** @param string $sql As wpdb got it. */
	public function __construct( string $sql ) {
		$this->plain = (string) preg_replace( '/^(?:[\s(]|\/\*(?!!).*?\*\/|(?:--|#)[^\n]*\n)+/s', '', $sql );
		$this->word  = strtoupper( (string) strtok( $this->plain, " \t\r\n(;`" ) );
		if ( in_array( $this->word, array( 'CREATE', 'DROP' ), true ) && preg_match( '/^\w+\s+TEMPORARY\b/i', $this->plain ) ) {
			$this->kind = 'passes';
		}
		foreach ( preg_match( '/^SET\b.*\bautocommit\b/is', $this->plain ) ? array() : self::KINDS as $kind => $words ) {
			$this->kind = in_array( $this->word, $words, true ) ? $kind : $this->kind;
		}
	}

	/** The table it makes unless it is there, or ''. */
	public function makes(): string {
		return preg_match( '/^CREATE\s+TABLE\s+IF\s+NOT\s+EXISTS\s+`?([^`\s(.]+)`?\s*\(/i', $this->plain, $found ) ? $found[1] : '';
	}
}
