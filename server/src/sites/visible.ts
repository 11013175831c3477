// What of a page somebody reads. Pages are a stranger's text: each of these walks it once, whatever it is.

/** What is no text, with what ends it. */
const SILENT = /<(script|style|template|noscript|head|svg)\b|<!--/g
const PAGE = String.raw`(?:html|body|#page|#wrapper|\.site|main)`
const GONE = String.raw`(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|opacity\s{0,9}:\s{0,9}0(?![.\d]))`
const RULE = new RegExp(String.raw`(?:^|[}\s,;>/])${PAGE}\s{0,9}(?:,[^{}]{0,200})?\{[^{}]{0,500}${GONE}`)
const INLINE = new RegExp(String.raw`<(?:html|body)\b[^<>]{0,2000}\bstyle\s{0,9}=[^<>]{0,500}${GONE}`)

/** What stands around the contents on every page of a site. */
const FRAME = /<(header|nav|aside|footer)(?=[\s/>])/g

/** How many words are left when all that is markup is taken away. */
export function visibleWords(html: string): number {
  return count(shown(html.toLowerCase()))
}

/** Of those, how many are its own: in its `main` where it says which part that is, else beside header, navigation, sidebars and footer. */
export function ownWords(html: string): number {
  const text = shown(html.toLowerCase())
  const from = text.search(/<main[\s/>]/)
  if (from < 0) return count(without(text, FRAME))
  const to = text.lastIndexOf('</main')
  return count(text.slice(from, to < from ? undefined : to))
}

function count(html: string): number {
  const text = html.replace(/<[^<>]*>/g, ' ').replace(/&[a-z0-9#]{1,30};/g, ' ')
  let words = 0
  for (const _ of text.matchAll(/[\p{L}\p{N}]+/gu)) words++
  return words
}

/** Its own style sheet, or the attribute of its body, hides the whole page. Style sheets it names are not read: what they hide is unknown. */
export function isHidden(html: string): boolean {
  const text = html.toLowerCase()
  return INLINE.test(text) || stylesOf(text).some((css) => RULE.test(css))
}

/** Without what nobody is shown. */
const shown = (html: string) => without(html, SILENT)

/** Without those elements, each up to the first end of its name; what is never closed goes to the end. */
function without(html: string, elements: RegExp): string {
  const kept: string[] = []
  let at = 0
  elements.lastIndex = 0
  for (let found = elements.exec(html); found; found = elements.exec(html)) {
    const end = html.indexOf(found[1] ? `</${found[1]}` : '-->', found.index)
    kept.push(html.slice(at, found.index))
    if (end < 0) return kept.join(' ')
    at = end + (found[1] ? 0 : 3)
    elements.lastIndex = at
  }
  return [...kept, html.slice(at)].join(' ')
}

function stylesOf(html: string): string[] {
  const styles: string[] = []
  for (let at = html.indexOf('<style'); at >= 0; at = html.indexOf('<style', at)) {
    const end = html.indexOf('</style', at)
    if (end < 0) break
    styles.push(html.slice(html.indexOf('>', at) + 1, end))
    at = end
  }
  return styles
}
