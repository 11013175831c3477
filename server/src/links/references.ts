// Addresses inside the values of attributes and style sheets.

const longest = 2000

/** The candidates of a `srcset` (HTML Standard, 4.8.4.2.1), without their descriptors. */
export function srcsetUrls(value: string): string[] {
  const urls: string[] = []
  let at = 0
  const skip = (what: RegExp) => {
    while (at < value.length && what.test(value[at] ?? '')) at++
  }
  while (at < value.length) {
    skip(/[\s,]/)
    const start = at
    skip(/\S/)
    const url = value.slice(start, at)
    if (url === '') break
    urls.push(url.replace(/,+$/, ''))
    // Descriptors end at a comma that is in no parentheses.
    if (!url.endsWith(','))
      for (let depth = 0; at < value.length && (depth > 0 || value[at] !== ','); at++)
        depth += value[at] === '(' ? 1 : value[at] === ')' && depth > 0 ? -1 : 0
  }
  return urls
}

const url =
  /url\(\s*(?:"((?:[^"\\\n]|\\.){0,2000})"|'((?:[^'\\\n]|\\.){0,2000})'|([^\s"'()\\]{0,2000}))\s*\)|@import\s+(?:"([^"\\\n]{0,2000})"|'([^'\\\n]{0,2000})')/gi

/** What a style sheet, or a style attribute, names (CSS Syntax, url() and @import), comments left out. */
export function cssUrls(css: string): string[] {
  const found: string[] = []
  for (const [, double, single, bare, imported, importedSingle] of withoutComments(css).matchAll(url)) {
    const text = double ?? single ?? bare ?? imported ?? importedSingle ?? ''
    if (text !== '') found.push(text.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, code, char) => (code ? fromCode(code) : char)))
  }
  return found
}

const fromCode = (hex: string) => {
  const code = Number.parseInt(hex, 16)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}

/** By hand: an expression that looks for the end of each comment would look through the whole sheet for each beginning. */
function withoutComments(css: string): string {
  const parts: string[] = []
  for (let at = 0; ; ) {
    const start = css.indexOf('/*', at)
    parts.push(css.slice(at, start === -1 ? undefined : start))
    const end = start === -1 ? -1 : css.indexOf('*/', start + 2)
    if (end === -1) return parts.join(' ')
    at = end + 2
  }
}

/** Where a meta refresh leads (HTML Standard, 4.2.5.3); null: nowhere else. */
export function refreshUrl(content: string): string | null {
  const [, rest = ''] = /^\s*\d*(?:\.[\d.]*)?\s*[;,\s]\s*(.*)$/s.exec(content.slice(0, longest)) ?? []
  const [, quoted, bare] = /^(?:url\s*=\s*)?(?:(["'].*)|(.*))$/is.exec(rest) ?? []
  const text = quoted === undefined ? bare : quoted.slice(1).split(quoted[0] ?? '')[0]
  return text?.trim() ? text.trim() : null
}

/** The address as a request has it; null for what is not asked for by HTTP, 'malformed' for what is no address at all. */
export function resolved(text: string, base: string): string | null | 'malformed' {
  const trimmed = text.trim()
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(trimmed)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return null
  const found = URL.parse(trimmed, base)
  if (!found || !/^https?:$/.test(found.protocol)) return 'malformed'
  found.username = found.password = ''
  return found.href.length > longest ? null : found.href
}
