// What a fragment points at, as browsers find it (HTML Standard, 7.4.6.3).

/** True where there is nothing to judge: the top of the page, a route of a script, a piece of text. */
export function isEverywhere(fragment: string): boolean {
  return fragment === '' || /^top$/i.test(fragment) || /^!?\//.test(fragment) || fragment.startsWith(':~:')
}

/** `ids`: what the page names, as it is written there. */
export function isThere(fragment: string, ids: ReadonlySet<string>): boolean {
  const [bare = ''] = fragment.split(':~:')
  return isEverywhere(bare) || ids.has(bare) || ids.has(decoded(bare))
}

function decoded(text: string): string {
  // What is no UTF-8 becomes what a browser makes of it, and does not throw.
  const bytes: number[] = []
  const raw = Buffer.from(text, 'utf8')
  for (let at = 0; at < raw.length; at++) {
    const hex = raw[at] === 0x25 ? raw.toString('latin1', at + 1, at + 3) : ''
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      bytes.push(Number.parseInt(hex, 16))
      at += 2
    } else bytes.push(raw[at] ?? 0)
  }
  return Buffer.from(bytes).toString('utf8')
}
