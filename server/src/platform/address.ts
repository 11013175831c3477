// Which addresses the service may connect to. Everything that is not public is refused; IPv6 is an allow-list.
import { BlockList, isIP } from 'node:net'

const REFUSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata services that clouds put on otherwise public addresses.
  '168.63.129.16/32',
]

// Inside 2000::/3, the only IPv6 block that may be dialled at all. Teredo and 6to4 carry IPv4 addresses within them.
const REFUSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20']

// What an intranet may use. Link-local stays shut even there: that is where clouds keep their metadata services.
const PRIVATE_V4 = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
const PRIVATE_V6 = ['::1/128', 'fc00::/7']
const METADATA = '100.100.100.200'

const refusedV4 = blockList(REFUSED_V4, 'ipv4')
const refusedV6 = blockList(REFUSED_V6, 'ipv6')
const globalV6 = blockList(['2000::/3'], 'ipv6')
const privateV4 = blockList(PRIVATE_V4, 'ipv4')
const privateV6 = blockList(PRIVATE_V6, 'ipv6')

/** True for addresses of the public internet only. `address` is a literal as the resolver or a socket gives it. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refusedV4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return globalV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6')
}

/** True for loopback and the private ranges, which an operator may open for intranet sites. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return address !== METADATA && privateV4.check(address, 'ipv4')
  // BlockList takes an IPv4-mapped address for the IPv4 one; nobody needs that spelling.
  return family === 6 && !isMapped(address) && !address.includes('%') && privateV6.check(address, 'ipv6')
}

/** Names that by agreement stand for this machine or for a network of one's own. */
export const isLocalName = (host: string): boolean => /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i.test(host)

function isMapped(address: string): boolean {
  return /^(0*:)*:?ffff:/i.test(address)
}

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}
