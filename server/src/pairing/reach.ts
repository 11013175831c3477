// From where the service is found, as far as its address tells.
import { isIP } from 'node:net'
import { isLocalName, isPublicAddress } from '../platform/address.ts'
import type { Reach } from './schema.ts'

/** `machine`: from where it runs alone; `network`: from the private network its address is of. */
export function reachOf(baseUrl: string): Reach {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  if (/^(?:127\.|0\.0\.0\.0$|::1?$|(?:.*\.)?localhost\.?$)/.test(host)) return 'machine'
  return (isIP(host) === 0 ? isLocalName(host) || !host.includes('.') : !isPublicAddress(host)) ? 'network' : 'anywhere'
}

const lost: Partial<Record<Reach, [elsewhere: string, here: string]>> = {
  machine: ['on another machine', 'One on this machine does.'],
  network: ['outside of its network', 'One in that network does.'],
}

/** Who does not find the service at its address, and what to do; undefined: every site may. */
export function reachInWords(baseUrl: string): string | undefined {
  const [elsewhere, here] = lost[reachOf(baseUrl)] ?? []
  if (elsewhere === undefined) return undefined
  return `A site ${elsewhere} does not find ${baseUrl}: set SERVICE_BASE_URL to the address it reaches the service at, start the service again, and make another code. ${here}`
}
