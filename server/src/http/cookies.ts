import type { FastifyReply, FastifyRequest } from 'fastify'

const yearS = 365 * 86_400

/** What the browser keeps of us; neither can be read by a script. */
export interface Cookies {
  session: string | undefined
  /** By which a browser is known in which somebody signed in before. */
  device: string | undefined
}

/** Over https the browser itself holds them to this host and to encryption, by their prefix. */
const nameOf = (cookie: keyof Cookies, secure: boolean) => `${secure ? '__Host-' : ''}svc_${cookie}`

export function cookiesOf({ headers }: Pick<FastifyRequest, 'headers'>, secure: boolean): Cookies {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const find = (cookie: keyof Cookies) => {
    const found = pairs.filter(([name]) => name === nameOf(cookie, secure))
    // Two of one name: somebody beside us put one there, and it cannot be told which.
    return found.length === 1 ? found[0]?.[1] : undefined
  }
  return { session: find('session'), device: find('device') }
}

export function setCookies(reply: FastifyReply, secure: boolean, { secret, device }: { secret: string; device: string }): void {
  reply.header('set-cookie', [written('session', secret, secure), written('device', device, secure, yearS)])
}

export const clearSession = (reply: FastifyReply, secure: boolean) => reply.header('set-cookie', [written('session', '', secure, 0)])

function written(cookie: keyof Cookies, value: string, secure: boolean, maxAge?: number): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  return `${nameOf(cookie, secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}${age}`
}
