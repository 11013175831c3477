<?php
// Whether the web server runs PHP in the folder of uploads.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `security.probe`: one harmless file of fixed content under a random name, which removes itself when it is run. */
final class Probe {

	const CODE = "<?php\n// Put here for a moment to see whether PHP runs in this folder. It removes itself.\n@unlink( __FILE__ );\necho 'svc-connector-probe-', 6 * 7;\n";
	const SAYS = 'svc-connector-probe-42';
	const NAME = '/^svc-connector-probe-[0-9a-f]{32}\.php$/D';

	/** The verb `security.probe`. */
	public static function run( array $params ): array {
		self::clear();
		$found  = wp_upload_dir( null, false );
		$folder = untrailingslashit( (string) $found['basedir'] );
		$result = array( 'url' => '', 'says' => self::SAYS );
		if ( true !== ( $params['place'] ?? null ) || ! is_dir( $folder ) || ! wp_is_writable( $folder ) ) {
			return $result;
		}
		$name   = 'svc-connector-probe-' . bin2hex( random_bytes( 16 ) ) . '.php';
		$stream = @fopen( $folder . '/' . $name, 'xb' ); // phpcs:ignore WordPress -- A folder that takes no file is an answer.
		if ( false === $stream ) {
			return $result;
		}
		$whole = fwrite( $stream, self::CODE ) === strlen( self::CODE ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		fclose( $stream ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		if ( ! $whole ) {
			self::clear();
			return $result;
		}
		$result['url'] = untrailingslashit( (string) $found['baseurl'] ) . '/' . $name;
		return $result;
	}

	/** Takes away what a probe that was interrupted has left. */
	public static function clear(): void {
		$found  = wp_upload_dir( null, false );
		$folder = untrailingslashit( (string) $found['basedir'] );
		foreach ( (array) glob( $folder . '/svc-connector-probe-*.php' ) as $path ) {
			if ( preg_match( self::NAME, basename( (string) $path ) ) && ! is_link( (string) $path ) && is_file( (string) $path ) ) {
				unlink( (string) $path ); // phpcs:ignore WordPress.WP.AlternativeFunctions
			}
		}
	}
}
