// What a site asks of robots (RFC 9309).

export interface Robots {
  allows(path: string): boolean
  sitemaps: string[]
  /** Seconds between two requests that the site asks for; null: nothing said. */
  delayS: number | null
}

interface Group {
  agents: string[]
  rules: { allow: boolean; pattern: string }[]
  delayS: number | null
}

const most = 2000
export const ourName = 'servicelinks'

/** The group that names us, or else that of everybody. */
export function parseRobots(text: string): Robots {
  const groups: Group[] = []
  const sitemaps: string[] = []
  let open = false
  for (const line of text.slice(0, 512 * 1024).split(/\r\n?|\n/, 20_000)) {
    const [, key = '', value = ''] = /^\s*([A-Za-z-]{1,20})\s*:\s*([^#]*)/.exec(line) ?? []
    const name = key.toLowerCase()
    const said = value.trim()
    const group = groups.at(-1)
    if (name === 'user-agent') {
      if (open && group) group.agents.push(said.toLowerCase())
      else groups.push({ agents: [said.toLowerCase()], rules: [], delayS: null })
      open = true
    } else if (name === 'sitemap') {
      if (sitemaps.length < 20) sitemaps.push(said)
    } else if (name === 'allow' || name === 'disallow') {
      open = false
      if (said !== '' && group && group.rules.length < most) group.rules.push({ allow: name === 'allow', pattern: said.slice(0, 500) })
    } else if (name === 'crawl-delay') {
      open = false
      if (group && Number(said) >= 0 && said !== '') group.delayS = Number(said)
    }
  }
  const ours = groups.filter(({ agents }) => agents.includes(ourName))
  const chosen = ours.length > 0 ? ours : groups.filter(({ agents }) => agents.includes('*'))
  const rules = chosen.flatMap((group) => group.rules)
  const delays = chosen.flatMap(({ delayS }) => delayS ?? [])
  return { allows: (path) => allows(rules, path), sitemaps, delayS: delays.length > 0 ? Math.max(...delays) : null }
}

/** The longest pattern that fits decides; of equals the one that allows. */
function allows(rules: Group['rules'], path: string): boolean {
  const fitting = rules.filter(({ pattern }) => fits(pattern, path))
  const longest = Math.max(-1, ...fitting.map(({ pattern }) => pattern.length))
  const deciding = fitting.filter(({ pattern }) => pattern.length === longest)
  return deciding.length === 0 || deciding.some(({ allow }) => allow)
}

/** `*` is anything and `$` at the end the end; each piece is looked for once, so no pattern takes long. */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const pieces = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  const [first = '', ...others] = pieces
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [n, piece] of others.entries()) {
    const isLast = n === others.length - 1
    if (isLast && isWhole) return path.length - piece.length >= at && path.endsWith(piece)
    const found = path.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return !isWhole || at === path.length
}

/** The addresses of a sitemap, and whether they are sitemaps themselves (sitemaps.org). */
export function parseSitemap(xml: string): { isIndex: boolean; urls: string[] } {
  const urls: string[] = []
  for (let at = 0; urls.length < 50_000; ) {
    const start = xml.indexOf('<loc>', at)
    const end = start === -1 ? -1 : xml.indexOf('</loc>', start)
    if (end === -1) break
    const text = xml
      .slice(start + 5, Math.min(end, start + 3000))
      .trim()
      .replace(/^<!\[CDATA\[|\]\]>$/g, '')
    urls.push(text.replaceAll('&amp;', '&'))
    at = end
  }
  return { isIndex: /<sitemapindex[\s>]/.test(xml.slice(0, 2000)), urls }
}
