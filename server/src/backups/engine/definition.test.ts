import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { doubtOf, hindranceOf } from './definition.ts'
import { eventsIn, triggersOf } from './trigger-dump.ts'

const table = (create: string, name = 'a') => doubtOf({ name, kind: 'table', create, columns: [{ name: 'id' }] })
const view = (create: string, name = 'v') => doubtOf({ name, kind: 'view', create, columns: [] })

test('what servers write of a table or a view is taken', () => {
  const tables = [
    "CREATE TABLE `a` (`id` int COMMENT 'it''s; a \\' \"comment\" \\\\! -- #' DEFAULT ';') ENGINE=InnoDB COMMENT='x'",
    'CREATE TABLE `a` (`id` int);',
    'CREATE TABLE `a` (\n  `id` int /*!80023 INVISIBLE */,\n  `t` text /*M!100301 COMPRESSED*/\n) ENGINE=InnoDB',
    'CREATE TABLE `a` (`id` int) /*!50100 PARTITION BY HASH (`id`) PARTITIONS 4 */',
    'CREATE TABLE `a` (\n  `id` int NOT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4\n/*!50100 PARTITION BY RANGE (`id`)\n(PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */',
    "CREATE TABLE `a` (\n  `id` int\n) ENGINE=InnoDB\n PARTITION BY LIST (`id`)\n(PARTITION `p` VALUES IN (1,2) COMMENT = 'x' ENGINE = InnoDB)",
    "CREATE TABLE `a` (\n  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,\n  `b` decimal(10,2) GENERATED ALWAYS AS (`id` * -1.5) STORED,\n  `j` longtext CHECK (json_valid(`j`)),\n  PRIMARY KEY (`id`),\n  UNIQUE KEY `b` (`b`),\n  KEY `j` (`j`(10)),\n  FULLTEXT KEY `f` (`j`) /*!50100 WITH PARSER `ngram` */ ,\n  CONSTRAINT `c` FOREIGN KEY (`id`) REFERENCES `z` (`id`) ON DELETE CASCADE,\n  CONSTRAINT `d` CHECK (`j` like _utf8mb4'%')\n) ENGINE=MyISAM AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci ROW_FORMAT=DYNAMIC `PAGE_COMPRESSED`='ON' COMMENT=''",
    'CREATE TABLE `a` (`id` int) /*!50100 TABLESPACE `x` STORAGE DISK */ ENGINE=InnoDB WITH SYSTEM VERSIONING',
    "CREATE TABLE `a` (`id` int) ENGINE=InnoDB COLLATE=utf8mb4_0900_ai_ci /*!80016 ENCRYPTION='Y' */",
    "CREATE TABLE `a` (`id` int) ENGINE=InnoDB /*!80016 ENCRYPTION='N' */\n/*!50100 PARTITION BY HASH (`id`) */",
  ]
  for (const create of tables) assert.equal(table(create), null, create)
  assert.equal(table("CREATE TABLE `a;``b` (`id` text DEFAULT 'new\nline')", 'a;`b'), null)
  const views = [
    'CREATE ALGORITHM=UNDEFINED DEFINER=`a`@`b` SQL SECURITY DEFINER VIEW `v` AS select 1 AS `1`',
    "CREATE VIEW `v` (`a`,`b`) AS select `x`.`a` AS `a`,concat(`x`.`b`,'; \\\\!') AS `b` from (`x` join `y` on(`x`.`id` <> -(1)))",
    'CREATE ALGORITHM=MERGE DEFINER=`role` SQL SECURITY INVOKER VIEW `v` AS select -(1) AS `m`;',
  ]
  for (const create of views) assert.equal(view(create), null, create)
})

test('what is more than one plain statement of that table is not taken', () => {
  const more = [
    '',
    'CREATE TABLE `a` (`id` int); DROP TABLE `a`',
    "CREATE TABLE `a` (`id` int COMMENT 'x\\\\'; DROP TABLE `a`; -- ')",
    'CREATE TABLE `a` (`id` int) -- x\n; DROP TABLE `a`',
    'CREATE TABLE `a` (`id` int)\n\\! touch /tmp/x',
    'CREATE TABLE `a` (`id` int)\\! touch /tmp/x',
    'CREATE TABLE `a` (`id` int) # `\n;DROP TABLE `a`; # `',
    'CREATE TABLE `a` (`id` int)\nDELIMITER x',
    'CREATE TABLE `a` (`id` intdelimiter x)',
    "CREATE TABLE `a` (`id` int COMMENT 'open)",
    "CREATE TABLE `a` (`id` int COMMENT 'a\0b')",
    "CREATE TABLE `a` (`id` int COMMENT 'a\\\nb')",
    'CREATE TABLE `a` (`i\\` int)',
    "CREATE TABLE `a` (`id` int) /* ' */; DROP TABLE `a`; /* ' */",
    "CREATE TABLE `a` (`id` int) /*!99999 ' */; DROP TABLE `a`; /*!99999 ' */",
    "CREATE TABLE `a` (`id` int /*!99999 COMMENT '*/; DROP TABLE `b`; -- ' */)",
    'CREATE TABLE `a` (`id` int) /*!99999 AS SELECT 1 */',
    'CREATE TABLE `a` (`id` int) /*!50100 ENGINE=InnoDB',
    'CREATE TABLE `a` (`id` int) /*!99999 */*/',
    "CREATE TABLE `a` (`id` int) COMMENT='\\ /*!80016 ENCRYPTION='Y' */' SELECT 1 '",
    "CREATE TABLE `a` (`id` int) /*!80016 ENCRYPTION='*/; DROP TABLE `b`; -- ' */",
    'CREATE TABLE `a` (\nsystem id\n)',
    'CREATE TABLE `a` (`id` int,\n source /etc/passwd\n)',
    'CREATE TABLE `b` (`id` int)',
    'CREATE TABLE a (`id` int)',
    'CREATE TABLE `a` LIKE `b`',
    'CREATE TABLE `a` (LIKE `b`)',
    'CREATE TABLE `a` SELECT 1',
    'CREATE TABLE `a` (`id` int) AS SELECT BENCHMARK(1000000000, SHA1(1))',
    'CREATE TABLE `a` (`id` int) ENGINE=InnoDB IGNORE SELECT LOAD_FILE(0x2f)',
    'CREATE TABLE `a` (`id` int) ENGINE=InnoDB TABLE `mysql`.`user`',
    'CREATE TABLE `a` (`id` int) VALUES (SLEEP(10))',
    'CREATE TABLE `a` (`id` int) ENGINE=InnoDB PARTITION BY HASH (`id`) VALUES (SLEEP(10))',
    "CREATE TABLE `a` (`id` int) ENGINE=FEDERATED CONNECTION='mysql://a@b/c/d'",
    "CREATE TABLE `a` (`id` int) ENGINE='FEDERATED'",
    "CREATE TABLE `a` (`id` int) ENGINE=InnoDB DATA DIRECTORY='/tmp'",
    "CREATE TABLE `a` (`id` int) ENGINE=MyISAM INDEX DIRECTORY='/tmp'",
    "CREATE TABLE `a` (`id` int) PARTITION BY HASH (`id`) (PARTITION `p` DATA DIRECTORY = '/tmp')",
    'CREATE TABLE `a` (`id` int) ENGINE=MRG_MyISAM UNION=(`b`)',
    'CREATE TEMPORARY TABLE `a` (`id` int)',
    'CREATE TABLE IF NOT EXISTS `a` (`id` int)',
    'CREATE OR REPLACE TABLE `a` (`id` int)',
    'DROP TABLE `a`',
    'CREATE EVENT `e` ON SCHEDULE EVERY 1 SECOND DO DROP TABLE `a`',
    'CREATE TRIGGER `VIEW ` BEFORE INSERT ON a FOR EACH ROW SET @x = 1',
    'CREATE VIEW `a` AS select 1',
  ]
  for (const create of more) assert.notEqual(table(create), null, create)
  const others = [
    'CREATE VIEW `w` AS select 1',
    'CREATE VIEW `v` AS select 1; DROP TABLE `a`',
    "CREATE VIEW `v` AS select 1 INTO OUTFILE '/tmp/x'",
    'CREATE VIEW `v` AS select @x := 1',
    'CREATE VIEW `v` AS select 1\n\\! id',
    'CREATE VIEW `v` AS select 1\nsystem id',
    'CREATE VIEW `v` AS select 1 /*+ x */',
    'CREATE DEFINER=`v`@`w` TRIGGER `VIEW ` BEFORE INSERT ON a FOR EACH ROW SET @x = 1',
    'CREATE TABLE `v` (`id` int)',
  ]
  for (const create of others) assert.notEqual(view(create), null, create)
  for (const name of ['a\\', 'a\n\\! id', 'a\0'])
    assert.notEqual(doubtOf({ name: 'a', kind: 'table', create: 'CREATE TABLE `a` (`id` int)', columns: [{ name }] }), null, name)
})

test('the connector restores nothing that a dump may not hold; what it forbids beyond that only it cannot restore', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../../connector/svc-connector/src/restore/class-dump.php'), 'utf8')
  const words = [...(/const FORBIDDEN = array\((.*?)\);/.exec(source)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, word]) => word ?? '')
  const taken = (options: string) => table(`CREATE TABLE \`a\` (\`id\` int) ${options}`) === null
  // Of a plain table, or where the grammar has no place for what makes them dangerous.
  const harmless = ['LIKE', 'REFERENCES', 'FOREIGN', 'REPLACE', 'EXISTS', 'TABLESPACE', 'SYSTEM', 'VERSIONING', 'CSV', 'BLACKHOLE']
  assert.ok(words.length > 20)
  for (const word of words) assert.notEqual(hindranceOf({ create: `CREATE TABLE \`a\` (\`id\` int) ${word} x` }, false), null, word)
  for (const word of words.filter((each) => !harmless.includes(each)))
    for (const options of [`ENGINE=${word}`, `${word} \`x\``, `${word}=(\`x\`)`, `DATA ${word}=(\`x\`)`])
      assert.ok(!taken(options), options)
})

test('a long definition is judged in time, whatever it is made of', () => {
  const most = 128 * 1024
  for (const part of ['\n', ' ', '/*!50100 ', '/*!50100 */', '`', "''", '(', '\\', ' A=1', ' DEFAULT ', '/*!99999 a', ',``'])
    for (const head of ['CREATE TABLE `a` (`id` int)', 'CREATE TABLE `a` (`id` int,', 'CREATE VIEW `v` AS select 1']) {
      const began = process.cpuUsage().user
      const create = head + part.repeat((most - head.length) / part.length)
      for (const end of ['$', ' x', ''])
        doubtOf({
          name: head.includes('VIEW') ? 'v' : 'a',
          kind: head.includes('VIEW') ? 'view' : 'table',
          create: create + end,
          columns: [],
        })
      assert.ok(process.cpuUsage().user - began < 3_000_000, JSON.stringify(part))
    }
})

test('what a restore does not make is known from the definition alone; foreign keys are no such thing', () => {
  const plain = (more: string) =>
    `CREATE TABLE \`a\` (\n  \`select\` int DEFAULT '/* like */',\n  CONSTRAINT \`k\` FOREIGN KEY (\`b\`, \`c\`) REFERENCES \`z\`.\`y\` (\`b\`, \`c\`) ON DELETE SET NULL ON UPDATE NO ACTION\n) ENGINE=InnoDB${more}`
  assert.equal(hindranceOf({ create: plain('') }, false), null)
  for (const more of [
    ' WITH SYSTEM VERSIONING',
    ' /*!50100 PARTITION BY HASH (`a`) */',
    " DATA DIRECTORY='/x'",
    ' ENGINE=BLACKHOLE',
    " COMMENT='x",
  ])
    assert.match(hindranceOf({ create: plain(more) }, false) ?? '', /^its definition/, more)
  assert.match(hindranceOf({ create: plain('').replace(' NO ACTION', ' NO ACTION MATCH FULL') }, false) ?? '', /^its definition/)
})

test('what MySQL 8 has in conditional comments is restored by a connector that makes it, and judged like the rest', () => {
  const create = (more: string) =>
    `CREATE TABLE \`a\` (\n  \`my_row_id\` bigint unsigned NOT NULL AUTO_INCREMENT /*!80023 INVISIBLE */,\n  \`p\` point /*!80003 SRID 4326 */,\n  PRIMARY KEY (\`my_row_id\`)\n) ENGINE=InnoDB /*!80016 ENCRYPTION='Y' */${more}`
  const partitions = '\n/*!50100 PARTITION BY HASH (`my_row_id`)\nPARTITIONS 4 */'
  assert.equal(hindranceOf({ create: create(partitions) }, true), null)
  assert.match(hindranceOf({ create: create(partitions) }, false) ?? '', /conditional comment/)
  for (const more of ['/*!50100 DATA DIRECTORY */', '/*!80023 SELECT */', "/*!80023 'x' */", '/*!80023 x', '/* x */'])
    assert.match(hindranceOf({ create: create(more) }, true) ?? '', /versions of rows/, more)
})

const trigger = (create: string, more: object = {}) =>
  triggersOf({ triggers: [{ name: 't', create, sql_mode: 'ANSI_QUOTES', charset: 'utf8mb4', collation: 'x', ...more }] }).join('')

test('a trigger stands in a dump as a client takes it, without whoever made it', () => {
  const body = "BEGIN\n  IF NEW.`a` = 'x;\nquit' THEN\n    SET NEW.a = 1;\n  END IF;\nEND"
  assert.equal(
    trigger(`CREATE DEFINER=\`a\`@\`%\` TRIGGER \`t\` BEFORE INSERT ON \`w\` FOR EACH ROW ${body}`),
    `\nDROP TRIGGER IF EXISTS \`t\`;\nSET sql_mode = 'ANSI_QUOTES', time_zone = '+00:00';\nDELIMITER $$svc$$\nCREATE TRIGGER \`t\` BEFORE INSERT ON \`w\` FOR EACH ROW ${body}$$svc$$\nDELIMITER ;\nSET sql_mode = 'NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00';\n`,
  )
  const events = [{ name: 'e', create: 'CREATE EVENT `e` ON SCHEDULE EVERY 1 DAY DO DELETE FROM a', sql_mode: '', time_zone: 'SYSTEM' }]
  assert.match(
    eventsIn(events.map((event) => ({ ...event, charset: '', collation: '' }))).join(),
    /time_zone = 'SYSTEM';\nDELIMITER \$\$svc\$\$\nCREATE EVENT/,
  )
})

test('what a client may take for its own commands is joined to one line or left out of the dump', () => {
  const of = (body: string) => trigger(`CREATE TRIGGER t BEFORE INSERT ON w FOR EACH ROW ${body}`)
  assert.match(of("BEGIN\nsystem touch x;\nSET @a = 'b\nc';\nEND"), /BEGIN system touch x; SET @a = 'b\nc'; END\$\$/)
  const bodies = [
    'SET @a = 1 -- x',
    'SET @a = 1 /* x */',
    '\\! touch x',
    'SET @a = `b',
    'BEGIN DELIMITER x END',
    'SET @a = $$svc$$',
    'SET @a = 1 # x',
  ]
  for (const body of bodies) assert.match(of(body), /^\n-- A trigger or an event is missing here/, body)
  assert.match(trigger('DROP TABLE a'), /missing/)
  assert.match(trigger('CREATE TRIGGER t BEFORE INSERT ON w FOR EACH ROW SET @a = 1', { sql_mode: "'; x" }), /missing/)
  assert.match(trigger('CREATE TRIGGER t BEFORE INSERT ON w FOR EACH ROW SET @a = 1', { name: 't\\' }), /missing/)
})
