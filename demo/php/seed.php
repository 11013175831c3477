<?php
// Fills a fresh site with pages, posts and pictures, once; then asks the update API, so that the first inventory shows what is new.
// Reads SITE_CONTENT = {"title", "tagline", "colours": [[r, g, b], …], "pages": [{title, body}], "posts": [{title, body, days_ago}]}.
require '/wordpress/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/image.php';
require_once ABSPATH . 'wp-admin/includes/update.php';

$content = json_decode( getenv( 'SITE_CONTENT' ), true );

/** Draws a hill landscape in one colour and returns the id of the attachment. */
function demo_picture( array $colour, int $number ): int {
	$width  = 1200;
	$height = 675;
	$image  = imagecreatetruecolor( $width, $height );
	for ( $y = 0; $y < $height; $y++ ) {
		$light = 1.25 - 0.5 * $y / $height;
		imageline( $image, 0, $y, $width, $y, demo_shade( $image, $colour, $light ) );
	}
	for ( $ridge = 1; $ridge <= 4; $ridge++ ) {
		$shade = demo_shade( $image, $colour, 0.85 - 0.16 * $ridge );
		for ( $x = 0; $x < $width; $x++ ) {
			$top = $height * ( 0.35 + 0.13 * $ridge ) + 40 * sin( $x / ( 90 + 60 * $ridge ) + $number + 2 * $ridge ) + 14 * sin( $x / 37 + $ridge );
			imageline( $image, $x, (int) $top, $x, $height, $shade );
		}
	}
	ob_start();
	imagejpeg( $image, null, 82 );
	$file = wp_upload_bits( "landscape-{$number}.jpg", null, ob_get_clean() );
	$id   = wp_insert_attachment(
		array(
			'post_title'     => "Landscape {$number}",
			'post_mime_type' => 'image/jpeg',
		),
		$file['file']
	);
	wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, $file['file'] ) );
	return $id;
}

function demo_shade( $image, array $colour, float $light ): int {
	$parts = array_map(
		function ( $part ) use ( $light ) {
			return max( 0, min( 255, (int) ( $part * $light ) ) );
		},
		$colour
	);
	return imagecolorallocate( $image, $parts[0], $parts[1], $parts[2] );
}

function demo_paragraphs( string $text ): string {
	$blocks = array_map(
		function ( $paragraph ) {
			return "<!-- wp:paragraph -->\n<p>" . esc_html( $paragraph ) . "</p>\n<!-- /wp:paragraph -->";
		},
		explode( "\n\n", $text )
	);
	return implode( "\n\n", $blocks );
}

if ( ! get_option( 'demo_content_done' ) ) {
	update_option( 'blogname', $content['title'] );
	update_option( 'blogdescription', $content['tagline'] );
	foreach ( get_posts( array( 'post_type' => array( 'post', 'page' ), 'numberposts' => -1, 'post_status' => 'any' ) ) as $old ) {
		wp_delete_post( $old->ID, true );
	}
	update_option( 'show_avatars', 0 ); // Avatars would be fetched from the network.
	$pictures = array();
	foreach ( $content['colours'] as $number => $colour ) {
		$pictures[] = demo_picture( $colour, $number + 1 );
	}
	foreach ( $content['pages'] as $order => $page ) {
		wp_insert_post(
			array(
				'post_type'    => 'page',
				'post_status'  => 'publish',
				'post_author'  => 1,
				'post_title'   => $page['title'],
				'post_content' => demo_paragraphs( $page['body'] ),
				'menu_order'   => $order,
			)
		);
	}
	foreach ( $content['posts'] as $number => $post ) {
		$id = wp_insert_post(
			array(
				'post_status'   => 'publish',
				'post_author'   => 1,
				'post_title'    => $post['title'],
				'post_content'  => demo_paragraphs( $post['body'] ),
				'post_date_gmt' => gmdate( 'Y-m-d H:i:s', time() - DAY_IN_SECONDS * $post['days_ago'] ),
			)
		);
		set_post_thumbnail( $id, $pictures[ $number % count( $pictures ) ] );
	}
	update_option( 'demo_content_done', 1 );
}

delete_site_transient( 'update_plugins' );
wp_update_plugins();
wp_update_themes();
wp_version_check();
echo json_encode( array( 'updates' => count( get_site_transient( 'update_plugins' )->response ?? array() ) ) );
