<?php
/**
 * The reader of statements takes what a backup writes, and refuses everything else.
 *
 *   php dump.php [rounds] [seed]
 *
 * @package SvcConnector
 */

namespace SvcConnector;

require __DIR__ . '/load.php';

$rounds = (int) ( $argv[1] ?? 20000 );
$seed   = (int) ( $argv[2] ?? 1 );
mt_srand( $seed );
$wrong = array();

function takes( string $line ): bool {
	try {
		Dump::rows( $line, 'wp_t', array( 'a', 'b' ) );
		return true;
	} catch ( Problem $problem ) {
		return false;
	}
}

function makes( string $create ): bool {
	try {
		Dump::create( $create, 'wp_t', 'svc_connector_new_0000_1' );
		return true;
	} catch ( Problem $problem ) {
		return false;
	}
}

$head = 'INSERT INTO `wp_t` (`a`,`b`) VALUES ';
$good = array( "(1,'x')", '(NULL,NULL)', "(-1.5e+10,0xDEADbeef)", "('it\\'s',';')", "('),(','\\\\')", "(1,'')", "('a\\n\\0\\Z','-- /* #')" );
foreach ( $good as $row ) {
	if ( ! takes( "$head$row;\n" ) || ! takes( "$head$row,$row;\n" ) || Dump::rows( "$head$row,$row;\n", 'wp_t', array( 'a', 'b' ) ) !== array( $row, $row ) ) {
		$wrong[] = "refused: $row";
	}
}
$bad = array(
	"(1,SLEEP(5))", "(1,(SELECT 1))", "(1,@@version)", "(1,x)", "(1,'a' 'b')", "(1,2,3)", '(1)', "(1,'a'", "(1,'a\\')", "(1,\"a\")", '(1,0x)', '(1,--1)', '(1,1e)', '(1,1-1)', "(1,_utf8'a')", '(1,b\'1\')', '(1, 2)', '(1,2) ', '(1,2),', '(1,2)(1,2)', '(1,2);DROP TABLE x', '(1,2) ON DUPLICATE KEY UPDATE a=1', '(1,2)/**/', "(1,N'x')", '(1,NULLx)', '(1,TRUE)', '(1,DEFAULT)', '(,1)', '()', '',
);
foreach ( $bad as $row ) {
	if ( takes( "$head$row;\n" ) ) {
		$wrong[] = "taken: $row";
	}
}
foreach ( array( "INSERT INTO `wp_users` (`a`,`b`) VALUES (1,2);\n", "INSERT IGNORE INTO `wp_t` (`a`,`b`) VALUES (1,2);\n", "INSERT INTO `wp_t` (`b`,`a`) VALUES (1,2);\n", "INSERT INTO `wp_t` VALUES (1,2);\n", "DELETE FROM `wp_t`;\n", "{$head}(1,2);", "{$head}(1,2)\n", "\n{$head}(1,2);\n", "{$head}(1,2);\nDROP TABLE x;\n" ) as $line ) {
	if ( takes( $line ) ) {
		$wrong[] = "taken: $line";
	}
}
// A statement changed at random is either refused or still nothing but literals.
$literal = "(?:NULL|-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|0x[0-9a-fA-F]+|'(?:[^'\\\\]|\\\\.)*')";
for ( $round = 0; $round < $rounds; $round++ ) {
	$line = $head . implode( ',', array_map( static function () use ( $good ) { return $good[ mt_rand( 0, count( $good ) - 1 ) ]; }, range( 0, mt_rand( 0, 3 ) ) ) ) . ";\n";
	for ( $change = mt_rand( 1, 3 ); $change > 0; $change-- ) {
		$at   = mt_rand( 0, strlen( $line ) - 1 );
		$line = substr( $line, 0, $at ) . array( '', "'", '\\', ')', ',', ';', '(', 'x', '0', ' ', '-', "\n" )[ mt_rand( 0, 11 ) ] . substr( $line, $at + mt_rand( 0, 1 ) );
	}
	if ( takes( $line ) && ! preg_match( '/^' . preg_quote( $head, '/' ) . "\\($literal,$literal\\)(?:,\\($literal,$literal\\))*;\n$/Ds", $line ) ) {
		$wrong[] = "taken: $line";
	}
}
$columns = '(`a` bigint(20) unsigned NOT NULL AUTO_INCREMENT, `b` varchar(20) DEFAULT \'a;b -- c\' COMMENT \'SELECT "x"\', `like` int, PRIMARY KEY (`a`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4';
if ( ! makes( "CREATE TABLE `wp_t` $columns" ) || "CREATE TABLE `svc_connector_new_0000_1` $columns" !== Dump::create( "CREATE TABLE `wp_t` $columns", 'wp_t', 'svc_connector_new_0000_1' ) ) {
	$wrong[] = 'refused: a plain table';
}
foreach ( array( "CREATE TABLE `wp_x` $columns", "CREATE TABLE IF NOT EXISTS `wp_t` $columns", "CREATE TABLE `wp_t` $columns SELECT * FROM wp_users", 'CREATE TABLE `wp_t` LIKE wp_users', 'CREATE TABLE `wp_t` (LIKE wp_users)', "CREATE TABLE `wp_t` $columns; DROP TABLE x", "CREATE TABLE `wp_t` $columns DATA DIRECTORY='/tmp'", "CREATE TABLE `wp_t` $columns CONNECTION='mysql://x'", "CREATE TABLE `wp_t` (a int) ENGINE=FEDERATED", "CREATE TABLE `wp_t` (a int) /*!50100 SELECT */", "CREATE TABLE `wp_t` (a int) -- x", "CREATE TABLE `wp_t` (a int, FOREIGN KEY (a) REFERENCES x (a))", "CREATE TABLE `wp_t` (a int) UNION=(wp_users)", "CREATE TABLE `wp_t` (a int DEFAULT 'x)", "CREATE TABLE `wp_t` (a int DEFAULT @@version)", "CREATE TABLE `wp_t`.`x` (a int)", 'DROP TABLE `wp_t`' ) as $create ) {
	if ( makes( $create ) ) {
		$wrong[] = "made: $create";
	}
}
// MySQL 8 has around in comments what older servers do not know; what is in them is judged like the rest.
$table = "CREATE TABLE `wp_t` (\n  `a` int /*!80023 INVISIBLE */,\n  `p` point NOT NULL /*!80003 SRID 4326 */,\n  `b` text /*M!100301 COMPRESSED*/,\n  PRIMARY KEY (`a`),\n  KEY `i` (`a`) /*!80000 INVISIBLE */,\n  FULLTEXT KEY `f` (`b`) /*!50100 WITH PARSER `ngram` */ ,\n  CHECK ((`a` > 1)) /*!80016 NOT ENFORCED */\n) ENGINE=InnoDB /*!80016 ENCRYPTION='Y' */\n/*!50100 PARTITION BY RANGE (`a`)\n(PARTITION p0 VALUES LESS THAN (10) COMMENT = 'x' ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */";
if ( ! makes( $table ) || str_replace( '`wp_t`', '`wp_u`', $table ) !== Dump::create( $table, 'wp_t', 'wp_u' ) ) {
	$wrong[] = 'refused: what MySQL 8 writes';
}
foreach ( array( '/*!50100 CONNECTION = x */', "/*!50100 DATA DIRECTORY = '/x' */", '/*!80023 SELECT 1 */', "/*!80021 ENGINE_ATTRIBUTE='{}' */", '/*!80023 INVISIBLE', '/* x */', '/*! INVISIBLE */', '/*!501000 (1) */', '/*!50100 /* x */ */', "COMMENT='\\ /*!80016 ENCRYPTION='Y' */' SELECT 1 '", '/*!50700 (1) */' ) as $more ) {
	if ( makes( "CREATE TABLE `wp_t` $columns $more" ) ) {
		$wrong[] = "made: $more";
	}
}
// Foreign keys are cut out as the database writes them, and only so; triggers and views are known by how they begin.
$key  = 'CONSTRAINT `k ``1` FOREIGN KEY (`a`, `b`) REFERENCES `wp_``x` (`c`, `d`) ON DELETE SET NULL ON UPDATE NO ACTION';
$rows = "CREATE TABLE `wp_t` (\n  `a` int,\n  `b` varchar(9) DEFAULT ',\\n)',\n  KEY `i` (`a`,`b`(3)),\n";
$made = array(
	"$rows  $key\n) ENGINE=InnoDB"                                                    => "$rows) ENGINE=InnoDB",
	"$rows  $key,\n  CONSTRAINT `e` FOREIGN KEY (`a`) REFERENCES `d`.`t` (`a`),\n  CONSTRAINT `c` CHECK (`a` > 1)\n) ENGINE=InnoDB" => "$rows  CONSTRAINT `c` CHECK (`a` > 1)\n) ENGINE=InnoDB",
);
foreach ( $made as $create => $bare ) {
	if ( Dump::create( $create, 'wp_t', 'wp_t' ) !== str_replace( ",\n) ENGINE", "\n) ENGINE", $bare ) || array( 'clause' => $key, 'references' => 'wp_`x' ) !== ( Dump::keys( $create )['k `1'] ?? null ) || '' !== ( Dump::keys( $create )['e']['references'] ?? '' ) || array( 'i' => '(`a`,`b`(3))' ) !== Dump::indexes( $create ) ) {
		$wrong[] = "keys: $create";
	}
}
$checks = "$rows  CONSTRAINT `c ``1` CHECK ((`a` > 1)),\n  CONSTRAINT `d` CHECK ((`b` <> 'CONSTRAINT `d` CHECK ('))\n) ENGINE=InnoDB";
if ( "$rows  CHECK ((`a` > 1)),\n  CHECK ((`b` <> 'CONSTRAINT `d` CHECK ('))\n) ENGINE=InnoDB" !== Dump::without_check_names( $checks ) || ! makes( Dump::without_check_names( $checks ) ) ) {
	$wrong[] = 'the names of checks stay';
}
foreach ( array( "$rows  $key, ADD COLUMN x int\n)", "$rows  $key ON DELETE CASCADE\n)", "$rows  CONSTRAINT `k` FOREIGN KEY (`a`) REFERENCES `x` (`c`) MATCH FULL\n)", "$rows  " . strtolower( $key ) . "\n)" ) as $create ) {
	if ( makes( $create ) || Dump::keys( $create ) ) {
		$wrong[] = "made: $create";
	}
}
$head = 'CREATE DEFINER=`a``b`@`%` TRIGGER ';
foreach ( array( "{$head}`tr` BEFORE INSERT ON `wp_t` FOR EACH ROW SET NEW.a = 1", "create trigger tr\nafter update on wp.wp_t for each row begin end", "{$head}IF NOT EXISTS `wp`.`tr` AFTER DELETE ON wp_t FOR EACH ROW BEGIN END" ) as $create ) {
	if ( ! Dump::is_trigger( $create, 'tr', 'wp_t' ) ) {
		$wrong[] = "no trigger: $create";
	}
}
foreach ( array( "{$head}`tr` BEFORE INSERT ON `wp_x` FOR EACH ROW SET NEW.a = 1", "{$head}other BEFORE INSERT ON wp_t FOR EACH ROW SET @a = 1", 'DROP TRIGGER tr', 'CREATE EVENT tr ON SCHEDULE EVERY 1 DAY DO SET @a = 1', "{$head}tr BEFORE INSERT ON wp_tx FOR EACH ROW SET @a = 1", "{$head}tr BEFORE INSERT ON wp_t FOR EACH ROW SELECT 1 INTO/**/OUTFILE '/x'" ) as $create ) {
	if ( Dump::is_trigger( $create, 'tr', 'wp_t' ) ) {
		$wrong[] = "a trigger: $create";
	}
}
foreach ( array( 'CREATE ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW `v` AS select 1' => true, 'CREATE VIEW `v` (`a`,`b`) AS select 1, 2' => true, 'CREATE OR REPLACE VIEW `v` AS select 1' => false, 'CREATE VIEW `w` AS select 1' => false, 'CREATE TABLE `v` AS select 1' => false, 'CREATE VIEW `v` AS select load_file(0x2f)' => false ) as $create => $is ) {
	if ( Dump::is_view( $create, 'v' ) !== $is ) {
		$wrong[] = "view: $create";
	}
}
if ( 'CREATE TRIGGER `tr` x' !== Dump::without_definer( "{$head}`tr` x" ) ) {
	$wrong[] = 'the definer stays';
}
foreach ( array_slice( $wrong, 0, 20 ) as $line ) {
	echo 'WRONG  ', json_encode( $line ), "\n";
}
printf( "seed %d: %d rounds, %d statements by hand: %d wrong\n", $seed, $rounds, count( $good ) + count( $bad ) + 60, count( $wrong ) );
exit( $wrong ? 1 : 0 );
