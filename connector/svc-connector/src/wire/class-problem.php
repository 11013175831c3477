<?php
// What a verb throws when it cannot do what was asked.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** A closed code for machines and a sentence for people. */
final class Problem extends \Exception {

	const STATUS = array(
		'bad_request'  => 400,
		'not_found'    => 404,
		'unknown_verb' => 404,
		'clone'        => 409,
		'fence'        => 409,
		'busy'         => 409,
		'failed'       => 500,
	);

	/** @var string One of the keys of STATUS. */
	private $reason;

	/** Takes one of the keys of STATUS. */
	public function __construct( string $reason, string $message ) {
		parent::__construct( $message );
		$this->reason = isset( self::STATUS[ $reason ] ) ? $reason : 'failed';
	}

	/** The code that travels. */
	public function reason(): string {
		return $this->reason;
	}

	/** HTTP status of this problem. */
	public function status(): int {
		return self::STATUS[ $this->reason ];
	}
}
