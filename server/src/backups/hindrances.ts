// What of a site stands in the way of a restore, whatever the backup: said with each one, not when it is needed.
import type { Hello } from '../connector/commands.ts'
import type { Manifest } from './engine/manifest.ts'

/** Where a restore keeps the notice for visitors and its way back. */
const NEEDED: Record<string, string> = { abspath: 'the folder of WordPress', content: 'wp-content' }

/** As it stands among the facts of a backup. */
export const hindrancesOf = ({ roots, disallow_file_mods }: Hello) => ({
  shut: roots.flatMap(({ id, writable }) => (writable === false && id in NEEDED ? [id] : [])).join(' '),
  no_file_mods: disallow_file_mods,
})

/** In words of ours. */
export const hindrancesIn = ({ facts, files }: Manifest): string[] => [
  ...(typeof facts['shut'] === 'string' ? facts['shut'].split(' ') : []).flatMap((id) =>
    NEEDED[id] === undefined
      ? []
      : [`PHP may not write to ${NEEDED[id]}: the site takes no restore, not even of its database, before it may.`],
  ),
  ...(files !== null && facts['no_file_mods'] === true
    ? ['wp-config.php forbids changes of files (DISALLOW_FILE_MODS): the site takes no restore of files while it does.']
    : []),
]
