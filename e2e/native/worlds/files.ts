// Files with names, modes and kinds that are hard to carry, and files that do not hold still.
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../../demo/npm.ts'
import type { Paired, World } from './world.ts'

const site = { wp: '7.1.1', db: 'mariadb' } as const
const UPLOADS = 'www/wp-content/uploads/2026/11'
const many = Number(process.env.WILD_FILES ?? 3000)

const ODD = `mkdir -p ${UPLOADS}; cd ${UPLOADS}
  echo nfc >$'caf\\u00e9.txt'; echo nfd >$'cafe\\u0301.txt'; echo line >$'new\\nline.txt'; echo dash >./-rf; echo tab >$'a\\tb "c" \\'d\\' $e .txt'
  printf 'no text' >$'\\xff\\xe9 no text'; echo case >Case.txt; echo CASE >CASE.txt; : >zero
  echo back >'a\\b.txt'; echo drive >C:x.txt
  echo long >"$(printf 'n%.0s' {1..255})"; deep=$(printf 'deep/%.0s' {1..120}); mkdir -p "$deep"; echo deep >"$deep/end.txt"
  mkdir empty shut; chmod 0711 shut; mkdir group; chmod 2775 group; echo secret >private; chmod 0600 private; echo read >only; chmod 0444 only
  ln -s zero in; ln -s empty folder; ln -s nowhere dangling; ln -s . self; ln private hard`

/** What no backup has: named, and nothing of it is touched. */
const UNREADABLE = ['unreadable', 'closed', 'pipe', 'socket'].map((name) => `${UPLOADS}/${name}`)
const unreadable = `cd ${UPLOADS}; echo root >unreadable; chmod 0600 unreadable; mkdir closed; echo in >closed/in; chmod 0700 closed; mkfifo pipe
  php8.2 -r 'stream_socket_server("unix://socket");'`

/** It grows until the backup is over, so that it is another one at each look. */
async function grow({ place }: Paired, isOver: () => boolean): Promise<void> {
  while (!isOver()) await Promise.all([appendFile(join(place, 'www/wp-content/growing.log'), `${'line '.repeat(100)}\n`), sleep(5)])
}

export const files: World[] = [
  {
    name: 'odd names, modes and links',
    site,
    plant: async ({ sh, place }) => {
      await sh(ODD)
      await run('bash', ['-euc', unreadable], { cwd: place })
    },
    omits: UNREADABLE,
    warned: /^Not in the backup, because the site could not read it; what is there stays: \S+\/closed, \S+\/unreadable\.$/,
    harm: ({ sh }) => sh(`find www/wp-content/uploads -name '*.txt' -delete 2>/dev/null || true`),
  },
  {
    name: 'links that lead out of the site',
    site,
    plant: ({ sh }) =>
      sh(
        `mkdir -p ${UPLOADS} outside; echo o >outside/file; ln -s /etc/hostname ${UPLOADS}/out; ln -s ../../../../../outside ${UPLOADS}/up`,
      ),
    // Nobody knows what the administrator has there: such a link is told, and left to whoever made it.
    omits: [`${UPLOADS}/out`, `${UPLOADS}/up`],
    warned: /could not read it; what is there stays: \S+\/out\. Not in the backup is what these lead to; it stays: \S+\/up\.$/,
    beyond: ['outside'],
    untouched: ({ place }) => [join(place, 'outside')],
  },
  {
    name: 'a link that leads far up, and stays inside',
    site,
    plant: ({ sh }) => sh(`mkdir -p ${UPLOADS}; ln -s ../../../../wp-content/uploads ${UPLOADS}/through`),
  },
  {
    name: 'a file that never holds still',
    site,
    plant: async ({ sh, place }) => {
      await sh(': >www/wp-content/growing.log')
      await writeFile(join(place, 'www/wp-content/growing.log'), Buffer.alloc(12_000_000, 'x'))
    },
    during: grow,
    moving: ['www/wp-content/growing.log'],
    warned: /^Comes back as it was read while it kept changing: wp-content\/growing\.log\.$/,
  },
  {
    name: `${many} files more`,
    site,
    plant: ({ sh }) =>
      sh(
        `for d in {1..30}; do mkdir -p www/wp-content/uploads/many/$d; for f in $(seq ${Math.ceil(many / 30)}); do echo "$d $f" >www/wp-content/uploads/many/$d/$f.txt; done; done`,
      ),
  },
]
