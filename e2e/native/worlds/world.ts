// How one site is laid out, what befalls it, and what must be true of it afterwards: data, which one walk reads.
import { dirname } from 'node:path'
import { run } from '../../../demo/npm.ts'
import type { House } from '../../house.ts'
import { databaseSocket, WEB_USER } from '../daemons.ts'
import type { Fleet, NativeSite, SiteSpec } from '../fleet.ts'
import type { Managed } from '../managed.ts'

export interface World {
  name: string
  site: SiteSpec
  /** Other sites on the same server. Of each every file and every table must stay as it is. */
  beside?: SiteSpec[]
  muPlugins?: string[]
  /** The database writes all names of tables in small letters. */
  smallNames?: true
  /** The clock of its PHP is wrong by so much; `setClock` changes it. */
  clock?: string
  /** It answers over https too, with a certificate that the service trusts. */
  https?: true
  /** Before it is paired. */
  lay?: (ground: Ground) => Promise<unknown>
  /** Pairing is refused, and this is said. */
  refused?: RegExp
  /** Then the service is told what the web server wants to see, and the walk goes on. */
  access?: { basic: { user: string; password: string }; header: { name: string; value: string } }
  /** Before it is backed up. */
  plant?: (ground: Paired) => Promise<unknown>
  /** While it is backed up. */
  during?: (ground: Paired, isOver: () => boolean) => Promise<unknown>
  /** Paths below the site's place that the backup must name as left out, and nothing else. */
  omits?: string[]
  /** Paths beside the site that are no part of it, and in no backup. */
  beyond?: string[]
  /** Paths that do not hold still: named, and what the archive has of them comes back. */
  moving?: string[]
  /** Between the backup and the accident. */
  meanwhile?: (ground: Paired) => Promise<unknown>
  /** Paths that are then right as they became. */
  becomes?: string[]
  /** Of WordPress's own files all are destroyed and not only some. */
  thorough?: true
  /** A folder of somebody else's below the core's: spared. */
  spared?: string
  /** What happens to the site; without this everything else that the connector can answer without is destroyed. */
  destroy?: (ground: Paired) => Promise<unknown>
  /** Happens beside that. */
  harm?: (ground: Paired) => Promise<unknown>
  /** The restore is refused in these words and changes nothing, until this is cleared away. */
  obstacle?: { said: RegExp; clear: (ground: Paired) => Promise<unknown>; becomes?: string[] }
  /** Folders, beside those of other sites, of which every byte must stay as it is. */
  untouched?: (ground: Ground) => string[]
  /** What the record of the backup tells: folders beside WordPress's own, below the site's place, and what of the database is left alone. */
  record?: { roots: string[]; database?: string[] }
  /** After the restore, before it is undone. */
  afterwards?: (ground: Paired) => Promise<unknown>
  /** All that a restore warns of, but that WordPress did not start; nothing where this is not said. */
  warned?: RegExp
  /** A table whose definition an undo cannot make again as it was left, which it says. */
  undoLacks?: { table: string; said: RegExp }
  /** When all is back. */
  atLast?: (ground: Paired) => Promise<unknown>
  /** Before the fleet is taken away, whatever happened. */
  leave?: (fleet: Fleet) => Promise<unknown>
  /** Walked by `.ci/run`, not only by `npm run prove:wild`. */
  common?: true
}

export interface Ground {
  house: House
  fleet: Fleet
  native: NativeSite
  beside: NativeSite[]
  /** Host folder with the document root and what belongs to the site beside it. */
  place: string
  /** Statements in the site's own name. */
  sql(text: string): Promise<string>
  /** Programs of the shell, in `place`, with `core` and `content` set, as the web user. */
  sh(script: string): Promise<string>
}
export type Paired = Ground & { one: Managed }

export function groundOf(house: House, fleet: Fleet): Ground {
  const [native, ...beside] = fleet.sites as [NativeSite, ...NativeSite[]]
  const place = dirname(native.dir)
  const { database } = native
  return {
    ...{ house, fleet, native, beside, place },
    sql: (text) =>
      run('mariadb', [
        ...['--no-defaults', '--default-character-set=utf8mb4', `--socket=${databaseSocket(fleet.dir)}`],
        ...[`--user=${database}`, '--password=password', '--batch', '--skip-column-names', '--execute', text, String(database)],
      ]),
    sh: async (script) => {
      const env = { ...process.env, core: native.core, content: native.content }
      return run('setpriv', [`--reuid=${WEB_USER}`, `--regid=${WEB_USER}`, '--clear-groups', 'bash', '-euc', script], { cwd: place, env })
    },
  }
}

/** Every path of the site, from its place on: what the daemons write beside it is no part of it. */
export const isOfSite = (path: string): boolean =>
  !/^(tmp|log|cert\.pem|key\.pem)(\/|$)|(^|\/)(plugins\/svc-connector|mu-plugins\/000-svc-connector-watch\.php|svc-connector-work|\.svc-connector-[^/]*)(\/|$)/.test(
    path,
  )

export const below = (place: string, folder: string): string => folder.slice(place.length + 1)
