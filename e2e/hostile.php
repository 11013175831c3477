<?php
// Content that a careless dump would spoil. Prints the id of the post.
require '/wordpress/wp-load.php';
global $wpdb;

$id = wp_insert_post(
	wp_slash(
		array(
			'post_title'   => "Ünïcode 🎉 \"double\" 'single' \\ back\\slash",
			'post_content' => "one\r\ntwo\tthree; -- '); DROP TABLE wp_posts; /* \\0 %s %_ \u{2028} \u{feff}שלום 𝔘 \x1a end\\",
			'post_status'  => 'publish',
		)
	)
);
$bytes = implode( '', array_map( 'chr', range( 1, 127 ) ) );
update_post_meta( $id, 'every_ascii_but_nul', wp_slash( $bytes ) );
update_post_meta( $id, 'serialized', array( 'quote' => "it's", 'nested' => array( 1.5, null, true ) ) );

$wpdb->query( 'CREATE TABLE IF NOT EXISTS wp_story (a int NOT NULL, b varchar(20) NOT NULL, raw blob, big bigint, money decimal(10,2), ratio double, day date, moment datetime, note text, PRIMARY KEY (a, b))' );
$wpdb->query( $wpdb->prepare( "INSERT INTO wp_story VALUES (1, 'x', %s, 9223372036854775807, 12345678.90, 0.1, '2026-02-28', '2026-02-28 23:59:59', %s)", $bytes, '' ) );
$wpdb->query( "INSERT INTO wp_story VALUES (1, 'y', NULL, -1, -0.01, -1.5e300, NULL, '0000-00-00 00:00:00', NULL), (-2, '', '', 0, 0, 0, '1970-01-01', NULL, '0x41')" );
if ( '' !== $wpdb->last_error ) {
	throw new RuntimeException( $wpdb->last_error );
}
echo $id;
