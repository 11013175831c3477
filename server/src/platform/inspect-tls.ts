// What an address says in its TLS handshake. Nothing is sent over the connections that are opened here.
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { FetchError } from './fetch-error.ts'
import { certificateEnd, findTarget, type Guard, openToInspect } from './guarded-connect.ts'

export interface TlsFacts {
  /** The chain, the name and the dates are in order. */
  trusted: boolean
  /** Why not, as OpenSSL calls it, for example CERT_HAS_EXPIRED; null where it is trusted. */
  why: string | null
  expiresAt: Date | null
  /** What was agreed on, for example TLSv1.3. */
  protocol: string | null
  /** A client that knows only TLS 1.0 and 1.1 is let in. */
  oldProtocol: boolean
}
/** Throws a FetchError where there is no TLS at all. */
export type InspectTls = (url: string, now: Date) => Promise<TlsFacts>

/** Two handshakes: one as everybody does it, one as only an outdated client would. */
export async function inspectTls(guard: Guard, tls: { ca?: string }, url: string, now: Date): Promise<TlsFacts> {
  const target = await findTarget(guard, url)
  const [address] = target.addresses
  if (target.url.protocol !== 'https:' || address === undefined) throw new FetchError('tls', 'The address does not begin with https://.')
  const shake = async <T>(options: ConnectionOptions, see: (socket: TLSSocket) => T): Promise<T> => {
    const socket = await openToInspect(guard, target, address, { ...tls, ...options })
    try {
      return see(socket)
    } finally {
      socket.destroy()
    }
  }
  const facts = await shake({}, (socket) => factsOf(socket, now))
  const oldProtocol = await shake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }, () => true).catch(
    (error) => {
      if (error instanceof FetchError) return false
      throw error
    },
  )
  return { ...facts, oldProtocol }
}

function factsOf(socket: TLSSocket, now: Date) {
  const expiresAt = certificateEnd(socket)
  const why = socket.authorized
    ? null
    : String((socket.authorizationError as unknown as { code?: string })?.code ?? socket.authorizationError)
  // The handshake goes by the machine's clock, we by ours.
  const expired = expiresAt !== null && expiresAt <= now
  return { trusted: socket.authorized && !expired, why: expired ? 'CERT_HAS_EXPIRED' : why, expiresAt, protocol: socket.getProtocol() }
}
