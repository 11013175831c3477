import { type ProbeResult, probe, type SiteConnection } from '../connector/ask.ts'
import { DOORS, HOME_DOORS } from '../connector/doors.ts'
import { SiteError } from '../connector/site-error.ts'
import { Problem } from '../kernel/problem.ts'
import type { DatedDb } from '../world.ts'
import { plainUrl } from './address.ts'
import type { Site } from './schema.ts'
import { markProven, updateSite } from './store.ts'
import { connectionWith, reached, secretsOf, type Talker, unreached } from './talk.ts'

export interface FirstHello {
  /** The key of ours it was answered for. */
  pairedAs: string
  url: string
  home: string
  found: ProbeResult
}

/**
 * The first signed hello after pairing: it proves that key and address belong together, and finds the door. Whoever enrolled said
 * where the site is, so it is asked at its own address and nowhere else, or where that has moved to; another host it names must answer
 * as this site as well.
 */
export async function sayFirstHello(talker: Talker, site: Pick<Site, 'id' | 'status'>, movedTo?: string): Promise<FirstHello> {
  const secrets = await secretsOf(talker, site)
  const { service_public: pairedAs } = secrets
  const url = movedTo ?? secrets.url
  const connection = await connectionWith(talker, site, { ...secrets, url, home: url, door: null, mode: null })
  try {
    const there = await probe(talker.wire, connection)
    const homeUrl = there.hello.home_url
    const home = plainUrl(URL.canParse(homeUrl) ? homeUrl : url)
    const found = home === plainUrl(url) ? there : await helloAtHome(talker, { ...connection, home, skewSeconds: there.skewSeconds })
    if (there.hello.clone || found.hello.clone)
      throw new SiteError(
        'clone',
        'The site answers as a copy of the one that was paired. Make a new code (site code --site) and pair it again from its WordPress admin.',
      )
    return { pairedAs, url, home, found }
  } catch (error) {
    throw await unreached(talker, { ...site, status: secrets.status }, error)
  }
}

async function helloAtHome({ wire }: Talker, connection: SiteConnection): Promise<ProbeResult> {
  if (new URL(connection.home).host === new URL(connection.url).host) return probe(wire, connection, DOORS)
  try {
    return await probe(wire, connection, HOME_DOORS)
  } catch (error) {
    if (!(error instanceof SiteError)) throw error
    const { reason, message, retryable } = error
    const words = `The site says that its visitors find it on another host, which must answer as this site too. There: ${message}`
    throw new SiteError(reason, words, { retryable, cause: error })
  }
}

/** Writes down what the first hello told. From here the site is connected, and its home is believed. */
export async function keepFirstHello(within: DatedDb, id: string, { pairedAs, url, home, found }: FirstHello): Promise<void> {
  if (!(await markProven(within, id, pairedAs)))
    throw new Problem('conflict', 'The site was paired anew or disconnected meanwhile.', { retryable: true })
  const { hello } = found
  await updateSite(within, id, {
    ...reached(within.now(), { status: 'connected' }, found),
    ...(hello.name && { name: hello.name }),
    url,
    home,
    wp_version: hello.wp_version,
    php_version: hello.php_version,
    connector_version: hello.connector_version,
    server_software: hello.server_software,
    is_multisite: hello.is_multisite,
    is_ssl: hello.is_ssl,
    active_theme: hello.active_theme,
    install_id: hello.install_id,
    hello,
  })
}
