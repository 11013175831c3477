// Text from a site is hostile: it must not steer a terminal, hide in a line or carry instructions nobody can see.
import type { SiteSaid } from '../kernel/site-said.ts'

// Controls, formats (bidi, zero-width, soft hyphen, BOM, tags), lone surrogates, line separators, and all that renders as nothing.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** One line without invisible or steering characters, at most `max` UTF-16 units, never ending in half a character. */
export function clean(text: string, max: number): string {
  const spaced = text.slice(0, max * 4 + 1024).replace(/[\t\r\n]+/g, ' ')
  const visible = spaced.replace(INVISIBLE, '').trim()
  return visible.length <= max ? visible : `${visible.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

const longestSaid = 300

/** A site's own words as they may stand beside ours; null where it said nothing. */
export function siteSaid(words: string): SiteSaid | null {
  const text = clean(words, longestSaid)
  return text === '' ? null : { untrusted: true, text }
}
