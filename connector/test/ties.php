<?php
/**
 * Whose the tables of a database are, and tables exchanged with their keys, triggers and views, there and back, under SIGKILL.
 *
 *   php ties.php <socket> [10] [seed]      a MariaDB or MySQL whose user root needs no password; makes and drops a database of its own
 *
 * @package SvcConnector
 */

namespace {
	define( 'DB_HOST', 'localhost:' . $argv[1] );
	define( 'DB_USER', $argv[6] ?? 'root' );
	define( 'DB_PASSWORD', isset( $argv[6] ) ? 'x' : '' );
	define( 'DB_NAME', 'child' === ( $argv[2] ?? '' ) ? $argv[3] : 'svc_ties_' . getmypid() );
	require __DIR__ . '/database.php';
}

namespace SvcConnector {
	if ( 'child' === ( $argv[2] ?? '' ) ) {
		$method = $argv[5];
		if ( 'rehearse' === $method || 'make' === $method ) {
			$wpdb->dbh = Connection::open();
			exit( json_encode( call_user_func_array( array( Rehearsal::class, 'make' === $method ? 'refused' : 'hindered' ), json_decode( $argv[4], true ) ) ) );
		}
		try {
			TableSwap::$method( Journal::open( $argv[4] ) );
		} catch ( Problem $problem ) {
			exit( 1 ); // What is there then is looked at.
		}
		exit( 0 );
	}
	$rounds = (int) ( $argv[2] ?? 10 );
	mt_srand( (int) ( $argv[3] ?? 1 ) );
	$wrong  = array();
	$checks = 0;
	$is     = static function ( string $what, $wanted, $found ) use ( &$wrong, &$checks ): void {
		++$checks;
		if ( $wanted !== $found ) {
			foreach ( is_array( $wanted ) && is_array( $found ) ? array_keys( $wanted + $found ) : array() as $part ) {
				if ( ( $wanted[ $part ] ?? null ) === ( $found[ $part ] ?? null ) ) {
					unset( $wanted[ $part ], $found[ $part ] ); // What is as it should be only hides what is not.
				}
			}
			$wrong[] = "$what: " . json_encode( $found ) . ' instead of ' . json_encode( $wanted );
		}
	};
	$run    = static function ( string $sql ) use ( $wpdb, &$wrong ): array {
		$result = $wpdb->dbh->query( $sql );
		if ( false === $result ) {
			$wrong[] = "$sql: " . $wpdb->dbh->error;
		}
		return $result instanceof \mysqli_result ? $result->fetch_all( MYSQLI_NUM ) : array();
	};
	$run( 'DROP DATABASE IF EXISTS ' . DB_NAME );
	$run( 'CREATE DATABASE ' . DB_NAME . ' CHARACTER SET utf8mb4' );
	$wpdb->dbh->select_db( DB_NAME );

	// Whose tables: another WordPress has options, and users or posts; a plugin's table of options is none.
	$options = '(option_id bigint, option_name varchar(191), option_value longtext, autoload varchar(20))';
	foreach ( array( 'wp_options', 'wp_b_options', 'wp_b_c_options', 'wp_5_options' ) as $name ) {
		$run( "CREATE TABLE $name $options" );
	}
	foreach ( array( 'wp_posts', 'wp_b_posts', 'wp_b_c_users', 'wp_b_more', 'wp_5_posts', 'wp_5_more', 'wp_form_options', 'wp_form_posts', 'wpx_posts', 'svc_connector_new_0a1b_3', 'svc_connector_old_0a1b0a1b0a1b0a1b_x3' ) as $name ) {
		$run( "CREATE TABLE $name (id int PRIMARY KEY)" );
	}
	$names = static function (): array {
		$found = array_keys( Tables::names() );
		sort( $found );
		return $found;
	};
	$is( 'a single site', array( 'wp_form_options', 'wp_form_posts', 'wp_options', 'wp_posts' ), $names() );
	$svc_network = true;
	$is( 'a network', array( 'wp_5_more', 'wp_5_options', 'wp_5_posts', 'wp_form_options', 'wp_form_posts', 'wp_options', 'wp_posts' ), $names() );
	$run( 'CREATE TABLE wp_5_users (id int PRIMARY KEY)' );
	$is( 'a number with users of its own', array( 'wp_form_options', 'wp_form_posts', 'wp_options', 'wp_posts' ), $names() );
	$svc_network = false;
	$wpdb->prefix = 'wp_b_';
	$is( 'the neighbour', array( 'wp_b_more', 'wp_b_options', 'wp_b_posts' ), $names() );
	$wpdb->prefix = 'wp_';
	$is( 'neighbours', array( 'wp_5_', 'wp_b_' ), Prefixes::foreign( array_keys( Tables::live() ) ) );
	$shown = static function () use ( $run ): int {
		return (int) $run( "SHOW SESSION STATUS LIKE 'Com_show_fields'" )[0][1];
	};
	$before = $shown();
	$names();
	$is( 'nothing is looked at twice', $before, $shown() );
	$is( 'a neighbour that is gone', array( 'wp_5_', 'wp_b_', 'wp_z_' ), Prefixes::foreign( array_keys( Tables::live() ), array( 'wp_z_options', 'wp_z_users' ) ) );
	$own = new \ReflectionMethod( Survey::class, 'own' );
	$own->setAccessible( true );
	$is( 'asked by name', array( 'wp_posts', 'wp_lost' ), $own->invoke( null, array( 'wp_posts', 'wp_lost', 'wp_b_posts', 'wp_z_options', 'wp_z_users', 'wp_svc_connector', 'other' ) ) );

	// All tables at once, and by name so many at a time.
	$all   = Tables::describe();
	$pages = array();
	for ( $after = null, $done = false; ! $done; $after = $page['tables'][ count( $page['tables'] ) - 1 ]['name'], $done = $page['done'] ) {
		$page    = Tables::describe( array( 'after' => $after, 'max_items' => 3, 'budget_ms' => 5000 ) );
		$pages[] = $page;
	}
	$told = array_merge( ...array_column( $pages, 'tables' ) );
	$is( 'pages of tables', array( 3, 1 ), array_map( 'count', array_column( $pages, 'tables' ) ) );
	$is( 'the same tables', array_column( $all['tables'], null, 'name' ), array_column( $told, null, 'name' ) );
	$run( 'INSERT INTO wp_options (option_id) VALUES (1)' );
	$ages = array_column( Tables::describe()['tables'], 'written_s', 'name' );
	$is( 'a table that was written to just now', array( 'integer', true ), array( gettype( $ages['wp_options'] ), $ages['wp_options'] < 60 ) );
	$is( 'one that nobody has written to', null, $ages['wp_posts'] );
	$run( 'DELETE FROM wp_options' );
	$is( 'what is told once', array( 1, 1, true ), array( count( array_column( $pages, 'beside' ) ), count( array_column( $pages, 'events' ) ), $all['done'] ) );

	// A neighbour whose table of options was lost is none of ours; a plugin's tables of such names are.
	$columns = array( 'posts' => 'ID int, post_type int', 'postmeta' => 'post_id int', 'terms' => 'term_group int', 'comments' => 'comment_post_ID int' );
	foreach ( $columns as $kind => $what ) {
		$run( "CREATE TABLE wp_y_$kind ($what)" );
		$run( "CREATE TABLE wp_forum_$kind (id int PRIMARY KEY)" );
	}
	$run( 'CREATE TABLE wp_y_shop (id int PRIMARY KEY)' );
	$is( 'a neighbour without options', array( 'wp_5_', 'wp_b_', 'wp_y_' ), Prefixes::foreign( array_keys( Tables::live() ) ) );
	$is( 'no table of it', array(), preg_grep( '/^wp_y_/', $names() ) );
	$is( 'the tables of a plugin', 4, count( preg_grep( '/^wp_forum_/', $names() ) ) );
	$is( 'one that is gone', array( 'wp_5_', 'wp_b_', 'wp_x_', 'wp_y_' ), Prefixes::foreign( array_keys( Tables::live() ), array( 'wp_x_users', 'wp_x_usermeta', 'wp_x_posts', 'wp_x_links' ) ) );
	$run( 'DROP TABLE wp_y_shop, wp_y_' . implode( ', wp_y_', array_keys( $columns ) ) . ', wp_forum_' . implode( ', wp_forum_', array_keys( $columns ) ) );

	// Users elsewhere are read; where they are another WordPress's too, no restore of ours changes them, nor what hangs on them.
	define( 'CUSTOM_USER_TABLE', 'shared_users' );
	define( 'CUSTOM_USER_META_TABLE', 'wpx_usermeta' );
	$run( 'CREATE TABLE shared_users (id int PRIMARY KEY)' );
	$run( 'CREATE TABLE wpx_usermeta (id int PRIMARY KEY)' );
	$run( "CREATE TABLE wpx_options $options" );
	$is( 'users elsewhere', array( 'shared_users', 'wp_form_options', 'wp_form_posts', 'wp_options', 'wp_posts', 'wpx_usermeta' ), $names() );
	$is( 'users of ours alone', array( 'wp_posts', 'shared_users' ), $own->invoke( null, array( 'wp_posts', 'shared_users', 'wpx_usermeta', 'wpx_posts' ) ) );
	foreach ( array( 'ours' => 'shared_users', 'theirs' => 'wpx_usermeta' ) as $name => $table ) {
		$run( "CREATE EVENT $name ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01' DO DELETE FROM $table" );
	}
	$found = Bonds::events( Tables::names() );
	$is( 'whose events', array( array( 'ours' ), array( 'theirs' ) ), array( array_column( $found['own'], 'name' ), $found['others'] ) );
	$run( 'DROP EVENT ours' );
	$run( 'DROP EVENT theirs' );
	$run( 'DROP TABLE shared_users, wpx_usermeta, wpx_options' );
	$is( 'no function', 0, Bonds::routines() );
	$run( 'CREATE FUNCTION one() RETURNS int RETURN 1' );
	$is( 'a function', 1, Bonds::routines() );
	$run( 'DROP FUNCTION one' );

	// A table of another database refers to one, told to root and to a user who sees both databases.
	$run( 'DROP DATABASE IF EXISTS `' . DB_NAME . '-x`' );
	$run( 'CREATE DATABASE `' . DB_NAME . '-x`' );
	$run( 'CREATE TABLE `wp_far-off` (id int PRIMARY KEY)' );
	$run( 'CREATE TABLE `' . DB_NAME . '-x`.t (id int PRIMARY KEY, FOREIGN KEY (id) REFERENCES ' . DB_NAME . '.`wp_far-off` (id))' );
	$run( 'CREATE TABLE wp_near (id int PRIMARY KEY, FOREIGN KEY (id) REFERENCES wp_posts (id))' );
	$run( 'CREATE TRIGGER wp_writes AFTER INSERT ON wp_near FOR EACH ROW SET @a = LOAD_FILE(0x2f)' );
	$hindered = array( 'wp_far-off' => 'elsewhere', 'wp_near' => 'trigger' );
	$is( 'what cannot be exchanged', $hindered, Bonds::hindered( array( 'wp_far-off', 'wp_near', 'wp_posts' ) ) );
	$is( 'what others need', array( 'wp_posts' ), Bonds::needed( array( 'wp_options' ), array( 'wp_posts', 'wp_far-off' ) ) );
	$is( 'what goes together', array(), Bonds::needed( array( 'wp_near' ), array( 'wp_posts' ) ) );
	$root = $wpdb->dbh;
	$user = DB_NAME . '@localhost';
	$run( "CREATE OR REPLACE USER $user IDENTIFIED BY 'x'" );
	$run( "GRANT ALL ON `svc\\_ties\\_%`.* TO $user" );
	$wpdb->dbh = new \mysqli( null, DB_NAME, 'x', DB_NAME, 0, $argv[1] );
	$is( 'what a user with fewer rights is told', $hindered, Bonds::hindered( array( 'wp_far-off', 'wp_near', 'wp_posts' ) ) );
	$is( 'what that user may see', array( true, true ), array( Bonds::may_see( 'TRIGGER' ), Bonds::may_see( 'EVENT' ) ) );
	$root->query( "REVOKE TRIGGER, EVENT ON `svc\\_ties\\_%`.* FROM $user" );
	$wpdb->dbh = new \mysqli( null, DB_NAME, 'x', DB_NAME, 0, $argv[1] );
	$is( 'what may not be seen', array( false, false ), array( Bonds::may_see( 'TRIGGER' ), Bonds::may_see( 'EVENT' ) ) );
	$wpdb->dbh = $root;

	// What hangs on tables is only dropped where it can be made again: by whom is told in a process of that user's.
	$rehearsed = static function ( string $as, ?array $creates = null ) use ( $argv ): array {
		$asked = array( array( 'wp_near', 'wp_posts', 'wp_options', 'wp_tied' ), array( 'wp_options', 'wp_posts', 'wp_left' ), array( 'wp_tied' ) );
		$pipes = array();
		$child = proc_open( array_merge( array( PHP_BINARY, __FILE__, $argv[1], 'child', DB_NAME, json_encode( null === $creates ? $asked : array( $asked[0], $creates ) ), null === $creates ? 'rehearse' : 'make' ), '' === $as ? array() : array( $as ) ), array( 1 => array( 'pipe', 'w' ) ), $pipes );
		$found = json_decode( (string) stream_get_contents( $pipes[1] ), true );
		proc_close( $child );
		ksort( $found );
		return $found;
	};
	$bound     = array( 'wp_near' => 'keys', 'wp_posts' => 'keys', 'wp_tied' => 'keys' );
	$run( 'TRUNCATE mysql.general_log' );
	$run( "SET GLOBAL log_output = 'TABLE', GLOBAL general_log = 1" );
	$is( 'what can be made again', array(), $rehearsed( '' ) );
	$run( 'SET GLOBAL general_log = 0' );
	$is( 'tried with an engine that knows keys, whichever is the usual one', '1', $run( "SELECT COUNT(*) FROM mysql.general_log WHERE argument LIKE 'CREATE TABLE `" . Rehearsal::TABLE . "`%ENGINE=InnoDB'" )[0][0] );
	$is( 'without the right to make triggers', array( 'wp_options' => 'triggers', 'wp_posts' => 'triggers' ), $rehearsed( DB_NAME ) );
	$run( "GRANT TRIGGER ON `svc\\_ties\\_%`.* TO $user" );
	$run( "REVOKE ALTER ON `svc\\_ties\\_%`.* FROM $user" );
	$is( 'without the right to make keys', $bound, $rehearsed( DB_NAME ) );
	// Definitions are tried as they would be made: an old row that is too long for a page is, what this database does not know is not.
	$creates = array();
	$wide    = implode( ', ', array_map( static function ( int $n ): string { return "`c$n` char(255)"; }, range( 1, 40 ) ) );
	foreach ( array( 'wp_near' => '(`a` varchar(9) COLLATE utf8mb4_0900_other_ci)', 'wp_posts' => '(`id` int PRIMARY KEY, CONSTRAINT `c` CHECK (`id` > 0)) ENGINE=InnoDB', 'wp_options' => "($wide) ENGINE=InnoDB CHARSET=latin1 ROW_FORMAT=COMPACT", 'wp_tied' => '(`a` int) /*!50100 x */', 'wp_other' => '(`a` nothing)' ) as $name => $what ) {
		$creates[] = array( 'table' => $name, 'create' => "CREATE TABLE `$name` $what" );
	}
	$is( 'what the database does not make', array( 'wp_near' => 'definition', 'wp_tied' => 'definition' ), $rehearsed( '', $creates ) );
	$is( 'what there is no time to try', array( 'wp_posts' => '' ), Rehearsal::refused( array( 'wp_posts' ), array( array( 'table' => 'wp_posts', 'create' => 'CREATE TABLE `wp_posts` (`a` int)' ) ), array(), 0 ) );

	// A key that could not be made again keeps one of its ends as it is, and no other table: `shop` is another program's, and stays.
	$fits    = '`id` bigint(20) unsigned NOT NULL, `code` varchar(9) DEFAULT NULL, PRIMARY KEY (`id`), KEY `code` (`code`)';
	$refers  = static function ( string $name, string $type, string $to = 'wp_up', string $column = 'id' ): string {
		return "(\n  `id` bigint(20) unsigned NOT NULL,\n  `up` $type DEFAULT NULL,\n  PRIMARY KEY (`id`),\n  CONSTRAINT `$name` FOREIGN KEY (`up`) REFERENCES `$to` (`$column`) ON DELETE CASCADE\n) ENGINE=InnoDB";
	};
	$forms   = array( 'wp_up' => "($fits) ENGINE=InnoDB", 'shop' => '(id int PRIMARY KEY, up bigint unsigned, code varchar(9), FOREIGN KEY (up) REFERENCES wp_up (id), FOREIGN KEY (code) REFERENCES wp_up (code)) ENGINE=InnoDB', 'wp_low' => $refers( 'low', 'bigint(20) unsigned' ) );
	foreach ( $forms as $name => $form ) {
		$run( "CREATE TABLE $name $form" );
	}
	$tried   = static function ( array $forms, array $apart = array(), int $seconds = 60 ): array {
		$creates = array();
		foreach ( $forms as $name => $form ) {
			$creates[] = array( 'table' => $name, 'create' => "CREATE TABLE `$name` $form" );
		}
		$found = Rehearsal::refused( array_keys( $forms ), $creates, $apart, $seconds );
		ksort( $found );
		return $found;
	};
	$other   = array( 'wp_more' => '(`a` int) ENGINE=InnoDB', 'wp_self' => $refers( 'self', 'bigint(20) unsigned', 'wp_self' ), 'wp_to_none' => $refers( 'to_none', 'int(11)', 'nowhere' ) );
	$types   = "(`id` int(11) NOT NULL, `code` varchar(9) DEFAULT NULL, PRIMARY KEY (`id`), KEY `code` (`code`)) ENGINE=InnoDB";
	$changed = array(
		'another type'         => $types,
		'another charset'      => "($fits) ENGINE=InnoDB DEFAULT CHARSET=latin1",
		'no index'             => str_replace( ', KEY `code` (`code`)', '', "($fits) ENGINE=InnoDB" ),
		'no column'            => '(`id` bigint(20) unsigned NOT NULL, PRIMARY KEY (`id`)) ENGINE=InnoDB',
	);
	$stood   = array_map( static function ( string $name ) use ( $run ): array { return $run( "SHOW CREATE TABLE $name" ); }, array_keys( $forms ) );
	foreach ( $changed as $what => $form ) {
		$is( "a key of others, and $what", array( 'wp_up' => 'keys' ), $tried( array( 'wp_up' => $form ) + $other ) );
	}
	$run( 'CREATE TABLE ' . Rehearsal::TABLE . ' (id int PRIMARY KEY)' );
	$run( 'CREATE TABLE ' . KeyRehearsal::CHILD . ' (id int PRIMARY KEY, FOREIGN KEY (id) REFERENCES ' . Rehearsal::TABLE . ' (id))' );
	$is( 'after one that was killed', array(), $tried( $other ) );
	$is( 'another form to which the keys of others fit', array(), $tried( array( 'wp_up' => "($fits, `more` int(11)) ENGINE=InnoDB" ) + $other ) );
	$is( 'a key that leads to what stays', array( 'wp_low' => 'keys' ), $tried( array( 'wp_low' => $refers( 'low', 'int(11)' ) ) + $other ) );
	$is( 'a key within that does not fit', array( 'wp_self' => 'keys' ), $tried( array( 'wp_self' => $refers( 'self', 'int(11)', 'wp_self' ) ) ) );
	$is( 'one table stays for another', array( 'wp_low' => 'keys', 'wp_up' => 'keys' ), $tried( array( 'wp_low' => $refers( 'low', 'int(11)' ), 'wp_up' => $types ) + $other ) );
	$is( 'one stays, and the other fits to that', array( 'wp_up' => 'keys' ), $tried( array( 'wp_low' => $forms['wp_low'], 'wp_up' => $types ) ) );
	$is( 'what is known elsewhere, or goes, is not tried', array( 'wp_up' => 'keys' ), $tried( array( 'wp_low' => $refers( 'low', 'int(11)', 'wp_posts' ), 'wp_up' => $types ), array( 'wp_posts' ) ) );
	$is( 'nor its keys', array(), $tried( array( 'wp_up' => $types ), array( 'shop', 'wp_low' ) ) );
	$is( 'a key for which there is no time', array( 'wp_up' => '' ), KeyRehearsal::refused( Connection::open(), array( 'wp_up' => "CREATE TABLE `wp_up` {$forms['wp_up']}" ), array(), 0.0 ) );
	$run( 'DROP TABLE shop' );
	$is( 'a key to what comes back as well', array(), $tried( array( 'wp_low' => $refers( 'low', 'int(11)' ), 'wp_up' => $types ) ) );
	$is( 'where two that come back do not fit, the one that has the key stays', array( 'wp_new' => 'keys' ), $tried( array( 'wp_new' => $refers( 'new', 'int(11)', 'wp_fresh' ), 'wp_fresh' => "($fits) ENGINE=InnoDB" ) ) );
	$is( 'a table that lacks keys is not made, for want of time', array( 'wp_low' => '', 'wp_up' => '' ), $tried( array( 'wp_low' => $refers( 'low', 'int(11)' ), 'wp_up' => $types ), array(), 0 ) );
	$run( "CREATE TABLE shop {$forms['shop']}" );
	$survey  = new \ReflectionMethod( Survey::class, 'rehearsed' );
	$survey->setAccessible( true );
	$asked   = array( 'creates' => array( array( 'table' => 'wp_up', 'create' => "CREATE TABLE `wp_up` $types" ) ) );
	$stuck   = static function ( string ...$tables ): array {
		return array( 'hindered' => array_map( static function ( string $table ): array { return array( 'table' => $table, 'why' => 'keys' ); }, $tables ), 'untried' => array() );
	};
	$is( 'what a survey says', $stuck( 'wp_up' ), $survey->invoke( null, array( 'wp_up' ), array(), $asked ) );
	$is( 'with all that has such keys gone', $stuck(), $survey->invoke( null, array( 'wp_up' ), array( 'shop', 'wp_low' ), $asked ) );
	$run( 'CREATE TABLE shop_more (id int PRIMARY KEY, FOREIGN KEY (id) REFERENCES shop (id))' );
	$is( 'with what others need', $stuck( 'wp_up' ), $survey->invoke( null, array( 'wp_up' ), array( 'shop', 'wp_low' ), $asked ) );
	$is( 'with what comes in another request', $stuck(), $survey->invoke( null, array( 'wp_up' ), array(), $asked + array( 'apart' => array( 'shop', 'wp_low' ) ) ) );
	$run( 'DROP TABLE shop_more' );
	$staying = new \ReflectionMethod( Survey::class, 'staying' );
	$staying->setAccessible( true );
	$is( 'what is lost comes back without its triggers', array( 'wp_near', 'wp_posts', 'wp_lost' ), $staying->invoke( null, array( 'wp_near' => 'keys', 'wp_posts' => 'triggers', 'wp_gone' => 'triggers', 'wp_lost' => 'keys' ) ) );
	$is( 'the tables that are there are as they were', $stood, array_map( static function ( string $name ) use ( $run ): array { return $run( "SHOW CREATE TABLE $name" ); }, array_keys( $forms ) ) );
	$run( 'DROP TABLE shop, wp_low, wp_up' );
	$is( 'nothing of it is left', array(), preg_grep( Prefixes::COPIES, array_diff( array_keys( Tables::live() ), array( 'svc_connector_new_0a1b_3', 'svc_connector_old_0a1b0a1b0a1b0a1b_x3' ) ) ) );
	$run( "DROP USER $user" );
	$run( 'DROP DATABASE `' . DB_NAME . '-x`' );

	// Events: those that name tables of this installation and no others, and those that name none but have its prefix.
	foreach ( array( 'tidy' => 'DELETE FROM wp_posts', 'wp_none' => 'SET @a = 1', 'wp_b_none' => 'SET @a = 1', 'none' => 'SET @a = 1', 'shared' => 'INSERT INTO wp_posts SELECT * FROM wp_b_posts', 'wp_text' => 'PREPARE x FROM @a' ) as $name => $body ) {
		$run( "CREATE EVENT $name ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01' DO $body" );
	}
	$events = Bonds::events( Tables::names() );
	$is( 'events', array( array( 'tidy', 'wp_none' ), array( 'none', 'shared', 'wp_b_none', 'wp_text' ) ), array( array_column( $events['own'], 'name' ), $events['others'] ) );

	// A key within, one that leads out, keys of others that lead in; indexes that came with a key; triggers whose names are taken; views.
	$old = "CREATE TABLE a (id int PRIMARY KEY, v int);
		CREATE TABLE b (id int PRIMARY KEY, a int, up int, far int, FOREIGN KEY (a) REFERENCES a (id) ON DELETE CASCADE, CONSTRAINT `b ``up` FOREIGN KEY (up) REFERENCES b (id), CONSTRAINT b_far FOREIGN KEY (far) REFERENCES outside (id));
		CREATE TABLE outside (id int PRIMARY KEY);
		CREATE TABLE beside (id int PRIMARY KEY, a int, x int, KEY x (x), FOREIGN KEY (a) REFERENCES a (id), CONSTRAINT beside_gone FOREIGN KEY (x) REFERENCES gone (id));
		CREATE TABLE gone (id int PRIMARY KEY);
		CREATE TRIGGER a_in BEFORE INSERT ON a FOR EACH ROW SET NEW.v = 1;
		CREATE TRIGGER a_more BEFORE INSERT ON a FOR EACH ROW SET NEW.v = NEW.v + 1;
		CREATE TRIGGER a_old AFTER INSERT ON a FOR EACH ROW SET @old = 1;
		CREATE TRIGGER beside_in BEFORE INSERT ON beside FOR EACH ROW SET NEW.x = NULL;
		CREATE EVENT ev ON SCHEDULE EVERY 1 HOUR STARTS '2030-01-01 00:00:00' DO SET @old = 1;
		CREATE EVENT ev_other ON SCHEDULE EVERY 1 HOUR STARTS '2030-01-01 00:00:00' DO SET @other = 1;
		CREATE VIEW seen AS SELECT id, v FROM a; CREATE VIEW elsewhere AS SELECT COUNT(*) AS n FROM beside;
		CREATE TABLE options $options; INSERT INTO options VALUES (1, 'siteurl', 'http://a.example', 'yes'), (2, 'svc_connector_site', 'now', 'no');
		INSERT INTO a (id) VALUES (1), (2); INSERT INTO b VALUES (1, 1, 1, NULL); INSERT INTO beside VALUES (1, 2, NULL);";
	$create = "CREATE TABLE `b` (\n  `id` int(11) NOT NULL,\n  `a` int(11) DEFAULT NULL,\n  `up` int(11) DEFAULT NULL,\n  PRIMARY KEY (`id`),\n  KEY `a` (`a`),\n  KEY `up` (`up`),\n  CONSTRAINT `b ``up` FOREIGN KEY (`up`) REFERENCES `b` (`id`),\n  CONSTRAINT `b_ibfk_1` FOREIGN KEY (`a`) REFERENCES `a` (`id`) ON DELETE SET NULL ON UPDATE CASCADE,\n  CONSTRAINT `fine` CHECK (`id` > 0)\n) ENGINE=InnoDB";
	$state   = static function () use ( $run ): array {
		$found = array();
		foreach ( $run( 'SHOW FULL TABLES' ) as list( $name, $kind ) ) {
			if ( ! preg_match( Prefixes::COPIES, $name ) ) {
				$lines = explode( "\n", str_replace( "\n)", ",\n)", $run( "SHOW CREATE TABLE `$name`" )[0][1] ) );
				sort( $lines ); // The order of indexes changes when a key is made again.
				$found[ $name ] = array( $lines, 'options' === $name ? array() : $run( "SELECT * FROM `$name`" ) );
			}
		}
		$found['keys']     = $run( 'SELECT TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY 1, 2' );
		$found['triggers'] = $run( "SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME, ACTION_ORDER, ACTION_STATEMENT FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE NOT LIKE 'svc%' ORDER BY 1, 2" );
		$found['events'] = $run( 'SELECT EVENT_NAME, EVENT_DEFINITION, STARTS, TIME_ZONE, SQL_MODE FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE() ORDER BY 1' );
		$found['definers'] = $run( 'SELECT DEFINER FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE() UNION SELECT DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() UNION SELECT DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()' );
		return $found;
	};
	$base  = sys_get_temp_dir() . '/svc-ties-' . getmypid();
	$trigger = static function ( string $name, string $what ): array {
		return array( 'table' => 'a', 'name' => $name, 'create' => "CREATE DEFINER=`nobody`@`nowhere` TRIGGER `$name` BEFORE INSERT ON `a` FOR EACH ROW $what", 'sql_mode' => '', 'charset' => 'utf8mb4', 'collation' => 'utf8mb4_general_ci' );
	};
	$begin   = static function () use ( $run, $old, $create, $base, $trigger ): Journal {
		$run( 'SET foreign_key_checks = 0' );
		foreach ( $run( 'SHOW FULL TABLES' ) as list( $name, $kind ) ) {
			$run( ( 'VIEW' === $kind ? 'DROP VIEW' : 'DROP TABLE' ) . " `$name`" );
		}
		foreach ( $run( 'SHOW EVENTS' ) as $event ) {
			$run( "DROP EVENT `$event[1]`" );
		}
		foreach ( array_filter( array_map( 'trim', explode( ';', $old ) ) ) as $sql ) {
			$run( $sql );
		}
		$journal = Journal::create( $base, array( 'phase' => 'swapping', 'id' => 'x', 'identity' => array( 'site_id' => 's' ), 'remembered' => array( 'svc_connector_roots' => 'r' ), 'engine' => 'mariadb', 'prefix' => '', 'hex' => bin2hex( random_bytes( 8 ) ), 'tables' => array( 'a', 'b', 'new' ), 'extra' => array( 'gone' ), 'views' => array( 'seen', 'fresh', 'broken' ), 'events' => array( 'ev', 'ev_new' ) ) );
		$run( 'CREATE TABLE ' . TableSwap::staged( $journal, '0' ) . ' (id int PRIMARY KEY, v int, w int)' );
		$run( 'INSERT INTO ' . TableSwap::staged( $journal, '0' ) . ' VALUES (2, 7, 7), (3, 8, 8)' );
		$run( Dump::create( $create, 'b', TableSwap::staged( $journal, '1' ) ) );
		$run( 'INSERT INTO ' . TableSwap::staged( $journal, '1' ) . ' VALUES (9, 3, 9)' );
		$run( 'CREATE TABLE ' . TableSwap::staged( $journal, '2' ) . ' (id int PRIMARY KEY)' );
		$keys = array();
		foreach ( Dump::keys( $create ) as $name => $key ) {
			$keys[] = array( 'table' => 'b', 'name' => $name, 'clause' => $key['clause'] );
		}
		Ties::stage( $journal, '0', array( 'triggers' => array( $trigger( 'a_new', 'SET NEW.w = 5' ), $trigger( 'a_in', 'SET NEW.w = NEW.w * 2' ) ) ) );
		Ties::stage( $journal, '1', array( 'keys' => $keys ) );
		Ties::stage( $journal, 'v0', array( 'view' => 'CREATE VIEW `seen` AS SELECT n FROM fresh' ) );
		Ties::stage( $journal, 'v1', array( 'view' => 'CREATE DEFINER=`nobody`@`nowhere` VIEW `fresh` AS SELECT COUNT(*) AS n FROM a' ) );
		Ties::stage( $journal, 'v2', array( 'view' => 'CREATE VIEW `broken` AS SELECT nothing FROM a' ) );
		foreach ( array( 'ev', 'ev_new' ) as $n => $name ) {
			$event = array( 'name' => $name, 'create' => "CREATE DEFINER=`nobody`@`nowhere` EVENT `$name` ON SCHEDULE EVERY 2 HOUR STARTS '2031-01-01 00:00:00' DO SET @new = 1", 'sql_mode' => 'ANSI_QUOTES', 'time_zone' => '+02:00', 'charset' => 'utf8mb4', 'collation' => 'utf8mb4_general_ci' );
			Ties::stage( $journal, "e$n", array( 'events' => array( $event ) ) );
		}
		$run( 'SET foreign_key_checks = 1' );
		return $journal;
	};

	/** Runs one direction in a process that is killed at a random moment, again and again, and then to its end. */
	$through = static function ( Journal $journal, string $method, int $kills, string $as = '' ) use ( $argv ): Journal {
		for ( $n = 0; $n <= $kills; $n++ ) {
			$pipes = array();
			$child = proc_open( array_merge( array( PHP_BINARY, __FILE__, $argv[1], 'child', DB_NAME, $journal->dir, $method ), '' === $as ? array() : array( $as ) ), array(), $pipes );
			if ( $n < $kills ) {
				usleep( mt_rand( 20000, 90000 ) );
				proc_terminate( $child, 9 );
			}
			proc_close( $child );
		}
		return Journal::open( $journal->dir );
	};
	// Somebody tidied up what was laid ready: nothing is exchanged, at once or when a first run was killed.
	$journal = $begin();
	$was     = $state();
	$stands  = static function ( Journal $journal ): string {
		try {
			TableSwap::must_stand( $journal );
			return '';
		} catch ( Problem $problem ) {
			return $problem->getMessage();
		}
	};
	$is( 'all that waits stands', '', $stands( $journal ) );
	$run( 'DROP TABLE ' . TableSwap::staged( $journal, '2' ) );
	$is( 'one of it does not', 'The table that was laid ready for new is not there any more.', $stands( $journal ) );
	$journal = $through( $journal, 'forward', 0 );
	$is( 'nothing is exchanged without it', $was, $state() );
	$journal = $begin();
	$ties    = new Ties( $journal, Connection::open(), true );
	$ties->note( 'before', array( 'a', 'b', 'new', 'gone', 'seen' ), array_map( 'strval', array_keys( Tables::live() ) ) );
	$run( 'DROP TABLE ' . TableSwap::staged( $journal, '0' ) );
	$journal = $through( $journal, 'forward', 0 );
	$is( 'nor after a first run that was killed', $was, $state() );

	// A key of `beside` that could not be made again: without the table to which it refers all else is exchanged, as is foretold.
	$journal = $begin();
	$staged  = TableSwap::staged( $journal, '0' );
	$run( "ALTER TABLE $staged MODIFY id bigint" );
	$creates = array( array( 'table' => 'a', 'create' => str_replace( $staged, 'a', $run( "SHOW CREATE TABLE $staged" )[0][1] ) ), array( 'table' => 'b', 'create' => $create ) );
	$is( 'foretold', array( 'a' => 'keys' ), Rehearsal::refused( array( 'a', 'b', 'new' ), $creates, array( 'gone' ) ) );
	$journal->put( array( 'tables' => array( 1 => 'b', 2 => 'new' ), 'views' => array(), 'events' => array() ) );
	$journal = $through( $journal, 'forward', 0 );
	$found   = $state();
	$is( 'the rest is exchanged', array( 4, array( '9', '3', '9' ) ), array( count( $found['keys'] ), $found['b'][1][0] ) );

	$journal = $begin();
	$was     = $state();
	$journal = $through( $journal, 'forward', 0 );
	$journal = $through( $journal, 'forward', 0 ); // Once more changes nothing.
	$is_new  = $state();
	$is( 'what cannot be made', array( 'broken' ), $journal->get( 'lacks' ) );
	$is( 'the keys', array( array( 'b', 'b `up', 'b' ), array( 'b', 'b_ibfk_1', 'a' ), array( 'beside', 'beside_gone', 'gone' ), array( 'beside', 'beside_ibfk_1', 'a' ) ), $is_new['keys'] );
	$is( 'the triggers', array( array( 'a', 'a_in', '2', 'SET NEW.w = NEW.w * 2' ), array( 'a', 'a_new', '1', 'SET NEW.w = 5' ), array( 'beside', 'beside_in', '1', 'SET NEW.x = NULL' ) ), $is_new['triggers'] );
	$is( 'the events', array( array( 'ev', 'SET @new = 1', '2031-01-01 00:00:00', '+02:00', 'ANSI_QUOTES' ), array( 'ev_new', 'SET @new = 1', '2031-01-01 00:00:00', '+02:00', 'ANSI_QUOTES' ) ), array_slice( $is_new['events'], 0, 2 ) );
	$is( 'the event of others', $was['events'][1], array_values( array_slice( $is_new['events'], -1 ) )[0] );
	$is( 'the definition', array( 6, 1, 1 ), array( count( preg_grep( '/KEY|CONSTRAINT/', $is_new['b'][0] ) ), count( preg_grep( '/ON DELETE SET NULL ON UPDATE CASCADE/', $is_new['b'][0] ) ), count( preg_grep( '/CHECK/', $is_new['b'][0] ) ) ) );
	$is( 'as whom', array( array( 'root@localhost' ) ), $is_new['definers'] );
	$is( 'who lives beside', $was['beside'], $is_new['beside'] );
	$is( 'whose rows refer to what is there', array( 'orphans' => array(), 'unlooked' => 0 ), TableSwap::orphans( $journal ) );
	$run( 'SET foreign_key_checks = 0' );
	$run( 'INSERT INTO beside VALUES (7, 70, NULL), (8, 80, NULL), (9, NULL, NULL)' );
	$run( 'UPDATE b SET a = 90' );
	$is( 'whose rows do not', array( 'orphans' => array( array( 'table' => 'beside', 'key' => 'beside_ibfk_1', 'rows' => 2 ) ), 'unlooked' => 0 ), TableSwap::orphans( $journal ) );
	$is( 'what there was no time to look at', array( 'orphans' => array(), 'unlooked' => 2 ), Catalog::orphans( Connection::open(), array( 'a' ), -1 ) );
	$run( 'DELETE FROM beside WHERE id > 5' );
	$run( 'UPDATE b SET a = 3' );
	$run( 'SET foreign_key_checks = 1' );
	$is( 'what was made of a view', array( array( '2' ) ), $is_new['seen'][1] );
	$run( 'INSERT INTO a (id) VALUES (4)' );
	$is( 'what triggers do', array( array( '10' ) ), $run( 'SELECT w FROM a WHERE id = 4' ) );
	$is( 'a key that is not there', false, $wpdb->dbh->query( 'INSERT INTO beside VALUES (5, 1, NULL)' ) );
	$run( 'CREATE TABLE later (id int PRIMARY KEY, a int, FOREIGN KEY (a) REFERENCES a (id))' );
	$run( 'ALTER TABLE beside DROP FOREIGN KEY beside_ibfk_1' );
	$journal->put( array( 'was' => 'committed' ) );
	$journal = $through( $journal, 'back', 0 );
	$undone  = $state();
	$is( 'what others changed since stays', array( true, false ), array( in_array( array( 'later', 'later_ibfk_1', 'a' ), $undone['keys'], true ), in_array( array( 'beside', 'beside_ibfk_1', 'a' ), $undone['keys'], true ) ) );
	unset( $undone['later'], $undone['keys'], $undone['beside'] );
	$is( 'undone', array_diff_key( $was, array( 'keys' => 1, 'beside' => 1 ) ), $undone );
	TableSwap::drop( $journal, true );
	$is( 'nothing is left', array(), preg_grep( Prefixes::COPIES, array_keys( Tables::live() ) ) );

	// An undo, whatever somebody did since: a table that came back is dropped, the name of one that went and of a view is another table's.
	$journal = $through( $begin(), 'forward', 0 );
	$run( 'SET foreign_key_checks = 0' );
	foreach ( array( 'DROP TABLE a', 'CREATE TABLE gone (other int)', 'DROP VIEW seen', 'CREATE TABLE seen (other int)' ) as $sql ) {
		$run( $sql );
	}
	$journal->put( array( 'was' => 'committed' ) );
	$journal = $through( $journal, 'back', 0 );
	$journal = $through( $journal, 'back', 0 ); // Once more changes nothing.
	$is( 'undone after tables were dropped and made', $was, $state() );
	$is( 'nothing lacks', array(), $journal->get( 'lacks' ) );

	// What cannot be made again keeps no site shut: a key without its column, a trigger that is refused, and all triggers.
	$journal = $through( $begin(), 'forward', 0 );
	$run( 'ALTER TABLE beside DROP FOREIGN KEY beside_ibfk_1, DROP COLUMN a' );
	$note = $journal->data( 'ties-before' );
	file_put_contents( $note, str_replace( 'SET NEW.v = 1\"', 'SET NEW.nothing = 1\"', str_replace( 'SET NEW.v = 1"', 'SET NEW.nothing = 1"', (string) file_get_contents( $note ) ) ) );
	$journal = $through( $journal, 'back', 0 );
	$is( 'what could not be made again is told', array( 'beside_ibfk_1', 'a_in' ), $journal->get( 'lacks' ) );
	$is( 'the other triggers', array( array( 'a', 'a_more', '1', 'SET NEW.v = NEW.v + 1' ), array( 'a', 'a_old', '1', 'SET @old = 1' ), array( 'beside', 'beside_in', '1', 'SET NEW.x = NULL' ) ), $state()['triggers'] );
	$is( 'the rows are those of before', $was['b'][1], $state()['b'][1] );
	$journal = $through( $begin(), 'forward', 0 );
	$run( "CREATE OR REPLACE USER $user IDENTIFIED BY 'x'" );
	$run( 'GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, CREATE VIEW, SHOW VIEW, EVENT ON ' . DB_NAME . ".* TO $user" );
	$journal = $through( $journal, 'back', 0, DB_NAME );
	$is( 'without the right to make triggers it goes back all the same', true, in_array( 'a_in', (array) $journal->get( 'lacks' ), true ) );
	$is( 'and keeps those it has', array( 'a_more', 'a_old', 'beside_in' ), array_column( $state()['triggers'], 1 ) );
	$is( 'with the keys of before', $was['keys'], $state()['keys'] );
	$run( "DROP USER $user" );

	// A table of options that was emptied says nothing of the connection, on either way; nor does one that was dropped.
	$known = static function () use ( $run ): array {
		return array_column( $run( "SELECT option_name, option_value FROM options WHERE option_name LIKE 'svc%' AND option_name <> 'svc_connector_restore' ORDER BY 1" ), 1, 0 );
	};
	$ours  = array( 'svc_connector_on' => '1', 'svc_connector_roots' => 'r', 'svc_connector_site' => '{"site_id":"s"}' );
	foreach ( array( 'TRUNCATE options', 'DELETE FROM options', 'DROP TABLE options' ) as $loss ) {
		$journal = $begin();
		$journal->put( array( 'tables' => array( 'options' ), 'extra' => array(), 'views' => array(), 'events' => array() ) );
		$staged = TableSwap::staged( $journal, '0' );
		foreach ( array( "DROP TABLE $staged", "CREATE TABLE $staged AS SELECT * FROM options WHERE option_name = 'siteurl'", $loss ) as $sql ) {
			$run( $sql );
		}
		Ties::stage( $journal, '0', array() );
		$journal = $through( $journal, 'forward', 0 );
		$is( "the connection after $loss", $ours, $known() );
		$run( "UPDATE options SET option_value = 'later' WHERE option_name = 'svc_connector_site'" );
		$journal = $through( $journal, 'forward', 0 );
		$is( "as it is now, after $loss", array_merge( $ours, array( 'svc_connector_site' => 'later' ) ), $known() );
	}
	foreach ( array( 'TRUNCATE options', 'DROP TABLE options' ) as $loss ) {
		$journal = $begin();
		$journal->put( array( 'tables' => array( 'options' ), 'extra' => array(), 'views' => array(), 'events' => array() ) );
		$staged = TableSwap::staged( $journal, '0' );
		$run( "DROP TABLE $staged" );
		$run( "CREATE TABLE $staged AS SELECT * FROM options WHERE option_name = 'siteurl'" );
		Ties::stage( $journal, '0', array() );
		$journal = $through( $journal, 'forward', 0 );
		$is( 'what is there goes along', array( 'svc_connector_site' => 'now' ), $known() );
		$run( $loss );
		$journal->put( array( 'was' => 'committed' ) );
		$journal = $through( $journal, 'back', 0 );
		$is( "undone after $loss", array( $ours, array( array( 'http://a.example' ) ) ), array( $known(), $run( "SELECT option_value FROM options WHERE option_name = 'siteurl'" ) ) );
	}

	for ( $n = 0; $n < $rounds; $n++ ) {
		$journal = $begin();
		$old_one = $state();
		$journal = $through( $journal, 'forward', mt_rand( 1, 4 ) );
		$is( "round $n, forward", $is_new, $state() );
		$is( "round $n, what cannot be made", array( 'broken' ), $journal->get( 'lacks' ) );
		$journal = $through( $journal, 'back', mt_rand( 1, 4 ) );
		$is( "round $n, back", $old_one, $state() );

		// Taken back from wherever it was.
		$journal = $begin();
		$pipes   = array();
		$child   = proc_open( array( PHP_BINARY, __FILE__, $argv[1], 'child', DB_NAME, $journal->dir, 'forward' ), array(), $pipes );
		usleep( mt_rand( 20000, 90000 ) );
		proc_terminate( $child, 9 );
		proc_close( $child );
		$journal = $through( $journal, 'back', mt_rand( 0, 2 ) );
		$is( "round $n, taken back", $old_one, $state() );
	}
	$run( 'DROP DATABASE ' . DB_NAME );
	Leftovers::clear( $base );
	rmdir( $base );
	echo "$checks checks, " . count( $wrong ) . " wrong\n" . implode( "\n", array_slice( $wrong, 0, 12 ) ) . ( $wrong ? "\n" : '' );
	exit( $wrong ? 1 : 0 );
}
