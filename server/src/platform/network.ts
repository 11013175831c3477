import { isIPv6 } from 'node:net'

/** Whom an address stands for: whoever has one IPv6 address has the other 2^64 of its network as well. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().split('%', 1).join().split('::')
  const v4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (v4 !== undefined) return v4
  const first = head === '' ? [] : head.split(':')
  const gap = tail === undefined ? [] : Array(8 - first.length - (tail === '' ? 0 : tail.split(':').length)).fill('0')
  return [...first, ...gap, ...(tail ?? '').split(':')]
    .slice(0, 4)
    .map((each) => Number.parseInt(each || '0', 16))
    .join(':')
}
