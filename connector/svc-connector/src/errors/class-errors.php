<?php
// What the service learns of PHP errors.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `errors.collect`: may be asked again, whatever became of the answer before. */
final class Errors {

	const DROPPED = 400; // Ids in one request.

	/** Lets go what the service has, and tells what there is. */
	public static function collect( array $params, Identity $identity ): array {
		if ( $identity->is_clone() ) {
			throw new Problem( 'clone', 'This is a copy of the site that was connected. Connect it again to manage it.' );
		}
		$drop = $params['drop'] ?? array();
		$log  = $params['log'] ?? null;
		if ( ! is_array( $drop ) || count( $drop ) > self::DROPPED || ( null !== $log && ! is_array( $log ) ) ) {
			throw new Problem( 'bad_request', 'Parameters drop or log are malformed.' );
		}
		$budget  = Budget::of( $params );
		$is_full = Kept::is_full();
		Kept::drop( $drop );
		$errors = Kept::waiting( $budget );
		return array(
			'time'      => time(),
			'capturing' => Capture::is_on(),
			'full'      => $is_full,
			'whole'     => ! $budget->is_spent(),
			'errors'    => $errors,
		) + ErrorLog::since( $log, $budget, Capture::is_on() ? $identity->number( 'paired_at' ) : PHP_INT_MAX );
	}
}
