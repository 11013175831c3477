/** Printed in the place of WordPress's page for a fatal error, by each of the files that may do so. */
export const dropIns = {
  'php-error.php': '<?php header( "HTTP/1.1 500 Oops" ); echo "the drop-in"; exit;',
  'fatal-error-handler.php': `<?php
class Harbour_Handler {
	public function handle() {
		$error = error_get_last();
		if ( null !== $error && 0 !== ( $error['type'] & ( E_ERROR | E_PARSE ) ) ) {
			header( 'HTTP/1.1 500 Oops' );
			exit( 'the drop-in' );
		}
	}
}
return new Harbour_Handler();`,
}
