// JSON is measured before it is parsed: eight megabytes of "[" or of "{}," would become a hundred megabytes of objects.
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c

/** The deepest nesting of a JSON text, and roughly how many values it holds. Says nothing about validity. */
export function jsonSize(text: Buffer): { depth: number; values: number } {
  let [depth, deepest, values] = [0, 0, 1]
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (byte === QUOTE) at = endOfString(text, at)
    else if (byte === COMMA) values++
    else if (byte === 0x5b || byte === 0x7b) {
      values++
      deepest = Math.max(deepest, ++depth)
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return { depth: deepest, values }
}

function endOfString(text: Buffer, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === BACKSLASH) at++
    else if (text[at] === QUOTE) return at
  }
  return text.length
}
