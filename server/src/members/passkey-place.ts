// Where passkeys work: they are tied to a name, and browsers offer them where nobody listens on the way.
import { isIP } from 'node:net'

export interface Place {
  /** The origin at which the dashboard is to be opened. */
  origin: string
  rpId: string
}

const isLoopback = (host: string) => host === '127.0.0.1' || host === '[::1]'

/** The same address by its name, where it is this machine's own: browsers tie passkeys to a name, never to an address. */
export function atLocalhost(baseUrl: string): string {
  const url = new URL(baseUrl)
  if (isLoopback(url.hostname)) url.hostname = 'localhost'
  return url.href.replace(/\/+$/, '')
}

/** The place of the public address, or why there is none. */
export function placeOf(baseUrl: string): Place | { refused: string } {
  const { hostname, protocol, origin } = new URL(atLocalhost(baseUrl))
  if (isIP(hostname) !== 0 || hostname.startsWith('['))
    return {
      refused: 'Passkeys are tied to a name, and this service has an IP address only. Whoever runs it sets SERVICE_BASE_URL to a name.',
    }
  if (protocol !== 'https:' && hostname !== 'localhost')
    return { refused: 'Browsers offer passkeys over https alone. Whoever runs this service sets SERVICE_BASE_URL to an https address.' }
  return { origin, rpId: hostname }
}
