// Text of sites and people, as far as a page can bear it.

/** Marks that turn the direction of what follows, and what has no shape of its own. */
const TURNING = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e0fff}]/gu
/** More marks above one letter than any language writes. */
const TOWER = /(\p{M}{3})\p{M}+/gu

/** In one line of at most so many characters, without what would change the look of the text around it. */
export function plainText(text: string, most = 200): string {
  const line = text
    .replaceAll(TURNING, '')
    .replaceAll(TOWER, '$1')
    .replaceAll(/\p{Cc}+|\s+/gu, ' ')
    .trim()
  const signs = [...line]
  return signs.length <= most ? line : `${signs.slice(0, most - 1).join('')}…`
}

/** The same for what has paragraphs. */
export const plainLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => plainText(line, 2000))
    .filter(Boolean)

/** The address as a link may lead to; undefined for what is not https. */
export function linkOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '' ? parsed.href : undefined
}
