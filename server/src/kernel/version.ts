// Versions compared as WordPress does it, which is PHP's version_compare().

/** A version cut into its parts, so that many comparisons cut it only once. */
export type Version = readonly Part[]
type Part = number | bigint | string

/** What PHP's strtol makes of more digits than it can hold. */
const largest = 2n ** 63n - 1n
const isDigit = (char: string) => char >= '0' && char <= '9'
const isSpecial = (char: string) => char === '-' || char === '_' || char === '+'
const isLetter = (char: string) => (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z')

export function parseVersion(text: string): Version {
  if (text === '') return []
  // PHP sees bytes.
  const bytes = Buffer.from(text).toString('latin1')
  const whole = bytes.startsWith('#') ? bytes : canonical(bytes)
  return whole.split('.').map((part) => (isDigit(part.charAt(0)) ? numberOf(part) : part))
}

/** Below, equal or above: -1, 0 or 1. */
export function compareVersions(a: Version, b: Version): number {
  if (a.length === 0 || b.length === 0) return Math.sign(a.length) - Math.sign(b.length)
  const common = Math.min(endOf(a), endOf(b))
  for (let i = 0; i < common; i++) {
    const order = compareParts(a[i] ?? '', b[i] ?? '')
    if (order !== 0) return order
  }
  if (a.length > common) return tail(a, common)
  return b.length > common ? 0 - tail(b, common) : 0
}

/** PHP stops at a part that is empty and the last. */
const endOf = (version: Version) => (version.at(-1) === '' ? version.length - 1 : version.length)

/** What is left over is above nothing when it is a number, and otherwise as it stands to a number. */
function tail(version: Version, from: number): number {
  const rest = version.slice(from)
  if (rest[0] === '') return -1
  return typeof rest[0] === 'string' ? compareVersions(rest, ['#N#']) : 1
}

function compareParts(a: Part, b: Part): number {
  if (typeof a === 'string' || typeof b === 'string') return Math.sign(formOf(a) - formOf(b))
  return a < b ? -1 : a > b ? 1 : 0
}

const forms: [string, number][] = [
  ['dev', 0],
  ['alpha', 1],
  ['a', 1],
  ['beta', 2],
  ['b', 2],
  ['RC', 3],
  ['rc', 3],
  ['#', 4],
  ['pl', 5],
  ['p', 5],
]

function formOf(part: Part): number {
  if (typeof part !== 'string') return 4
  return forms.find(([form]) => part.startsWith(form))?.[1] ?? -1
}

function numberOf(part: string): number | bigint {
  const digits = /^\d+/.exec(part)?.[0] ?? '0'
  if (digits.length <= 15) return Number(digits)
  const value = BigInt(digits)
  return value > largest ? largest : value
}

/** A dot where digits meet anything else, and for each run of what is neither. */
function canonical(bytes: string): string {
  let text = bytes.charAt(0)
  for (let i = 1; i < bytes.length; i++) {
    const [before, char] = [bytes.charAt(i - 1), bytes.charAt(i)]
    const dot = text.endsWith('.') ? '' : '.'
    if (isSpecial(char)) text += dot
    else if (meets(before, char)) text += dot + char
    else text += isDigit(char) || isLetter(char) ? char : dot
  }
  return text
}

function meets(before: string, char: string): boolean {
  if (isDigit(before)) return !isDigit(char) && char !== '.'
  return before !== '.' && isDigit(char)
}
