/** Of no rows. */
export const NO_ROWS = '0'.repeat(32)

/** The digest of two ranges as one: XOR of the first halves, sum of the second ones (connector/PROTOCOL.md §4). */
export function joinDigests(one: string, other: string): string {
  const [a, b] = [one, other].map((digest) => ({ xor: BigInt(`0x${digest.slice(0, 16)}`), sum: BigInt(`0x${digest.slice(16)}`) }))
  if (!a || !b) return NO_ROWS
  const hex = (value: bigint) => BigInt.asUintN(64, value).toString(16).padStart(16, '0')
  return hex(a.xor ^ b.xor) + hex(a.sum + b.sum)
}
