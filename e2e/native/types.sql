-- Every type of column MariaDB 10.11 knows, with values at their edges, and every kind of table a dump can stumble over.
SET NAMES utf8mb4, time_zone = '+03:00', sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
CREATE TABLE wp_t_numbers (
  id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, a tinyint, b smallint, c mediumint, d int, e bigint, f bigint unsigned,
  g decimal(65,30), h float, i double, j bit(1), k bit(20), l boolean, m year, n int(10) unsigned zerofill, o float(7,4), p numeric(10,2) unsigned
);
INSERT INTO wp_t_numbers VALUES
  (0, -128, -32768, -8388608, -2147483648, -9223372036854775808, 18446744073709551615, -99999999999999999999999999999999999.999999999999999999999999999999, -3.402823e38, -1.7976931348623157e308, b'0', b'0', false, 1901, 42, -123.4567, 99999999.99),
  (1, 127, 32767, 8388607, 2147483647, 9223372036854775807, 0, 0.000000000000000000000000000001, 1.17549435e-38, 2.2250738585072014e-308, b'1', b'11111111111111111111', true, 2155, 0, 0.1, 0.01),
  (9000000000000000000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0000, NULL, NULL, NULL),
  (18446744073709551000, 0, 0, 0, 0, 0, 0, 0, 0.1, 0.1, b'1', b'10000000000000000001', 1, 2026, 1, 3.1416, 1);
CREATE TABLE wp_t_times (a date NOT NULL, b datetime(6), c timestamp(6) NULL, d time(6), e timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(), KEY (a));
INSERT INTO wp_t_times VALUES
  ('0000-00-00', '0000-00-00 00:00:00', NULL, '-838:59:59.999999', '2026-03-29 02:30:00'), ('9999-12-31', '9999-12-31 23:59:59.999999', '2038-01-19 06:14:07.999999', '838:59:59.999999', '0000-00-00 00:00:00'),
  ('2024-02-29', '1000-01-01 00:00:00.000001', '1970-01-01 03:00:01', '00:00:00', '1970-01-01 03:00:01'), ('2026-00-00', '2026-01-00 00:00:00', '2026-10-25 01:30:00', NULL, '2026-10-25 01:30:00');
CREATE TABLE wp_t_bytes (id binary(16) NOT NULL PRIMARY KEY, a varbinary(300), b tinyblob, c blob, d mediumblob, e longblob);
INSERT INTO wp_t_bytes VALUES
  (0x00, '', 0x00, 0x00FF00, repeat(0x0A0D275C00, 1000), repeat(0xFF, 300000)), (0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF, NULL, NULL, NULL, NULL, NULL),
  (0x27, 0x275C2200, '0x41', 'NULL', '\n', '\r\n'), (0x2701, repeat(0x00, 300), 'ä', '%_', '\\', '');
CREATE TABLE wp_t_texts (
  id varchar(50) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, a char(10), b varchar(200) CHARACTER SET latin1, c tinytext, d text, e mediumtext, f longtext CHARACTER SET utf8mb4,
  g enum('a','b''c','ü') NOT NULL, h set('x','y','z'), i longtext CHECK (json_valid(i)), j json
);
INSERT INTO wp_t_texts VALUES
  ('a', 'pad   ', 'Größe €', '', '\0\n\r\t\Z\b\\''"', repeat('🎉', 5000), 'NULL', 'b''c', 'x,z', '{"a": "🎉\\n"}', '[1, 2]'), ('A', NULL, NULL, NULL, NULL, NULL, NULL, 'ü', '', NULL, NULL),
  ('ä', '', '', 'x', '), (''; DROP TABLE wp_options; --', 'é', 'é', 'a', NULL, '{}', 'null'), (' ', '0', '-', '1e5', '0x41', '/*!50000 x */', '\\', 'a', 'x,y,z', '0', '"\\u0000"');
CREATE TABLE wp_t_places (id int PRIMARY KEY, a geometry, b point NOT NULL, c polygon, d geometrycollection, SPATIAL INDEX (b));
INSERT INTO wp_t_places VALUES (1, ST_GeomFromText('LINESTRING(0 0,1 1,2.5 -3)'), ST_GeomFromText('POINT(1.5 -2)'), ST_GeomFromText('POLYGON((0 0,4 0,4 4,0 0))'), NULL), (2, NULL, ST_GeomFromText('POINT(0 0)', 4326), NULL, ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1))'));
CREATE TABLE wp_t_named (id uuid PRIMARY KEY, a inet6, b inet4);
INSERT INTO wp_t_named VALUES ('123e4567-e89b-12d3-a456-426655440000', '2001:db8::ff00:42:8329', '192.0.2.1'), ('00000000-0000-0000-0000-000000000000', '::', NULL);
CREATE TABLE wp_t_computed (a int NOT NULL, b varchar(10) NOT NULL, c int AS (a * 2) VIRTUAL, d varchar(30) AS (concat(b, '!')) STORED, e int DEFAULT (a + 1), PRIMARY KEY (b, a));
INSERT INTO wp_t_computed (a, b, e) VALUES (1, 'x', 5), (2, 'x', DEFAULT), (1, '', NULL), (-1, 'Ü', 0);
CREATE TABLE wp_t_keyless (a int, b text);
INSERT INTO wp_t_keyless VALUES (1, 'twice'), (1, 'twice'), (NULL, NULL), (2, '');
CREATE TABLE wp_t_nullable_key (a int, b varchar(5), UNIQUE KEY (a));
INSERT INTO wp_t_nullable_key VALUES (NULL, 'x'), (NULL, 'x'), (3, NULL);
CREATE TABLE wp_t_floating_key (a double NOT NULL PRIMARY KEY, b int);
INSERT INTO wp_t_floating_key VALUES (0.1, 1), (0.30000000000000004, 2), (-1e308, 3);
CREATE TABLE wp_t_empty (id int NOT NULL AUTO_INCREMENT PRIMARY KEY) AUTO_INCREMENT = 4711;
CREATE TABLE `wp_t odd``name; --` (`select` int PRIMARY KEY, `a b` text, `ü` int) COMMENT = 'it''s; a "comment"';
INSERT INTO `wp_t odd``name; --` VALUES (1, 'x', 2);
CREATE TABLE wp_t_aria (id int PRIMARY KEY, note varchar(20)) ENGINE = Aria;
INSERT INTO wp_t_aria VALUES (1, 'aria');
CREATE TABLE wp_t_many (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, body text);
INSERT INTO wp_t_many (body) SELECT concat(seq, repeat(md5(seq), 20)) FROM seq_1_to_10000;
CREATE VIEW wp_t_a_view AS SELECT a, b FROM wp_t_keyless WHERE a IS NOT NULL;
CREATE VIEW wp_t_a_second_view AS SELECT v.a, n.id FROM wp_t_a_view v JOIN wp_t_numbers n;
