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

/** What a file is called that a client gets: of whom and of when it is, in letters that any system takes. */
export function fileNameOf(report: { client_name: string; first_day: string; last_day: string; version: number }, ending: string): string {
  const { client_name, first_day, last_day, version } = report
  const name = client_name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
  return `${[name || 'report', first_day, last_day, ...(version > 1 ? [`v${version}`] : [])].join('-')}.${ending}`
}

/** The address as a link may lead to; undefined for what is not https. */
export function linkOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '' ? parsed.href : undefined
}

/** What joins two letters, is not seen, and belongs to no address. */
const JOINER = '\u2060'
/** A dot that looks like one, and parts no name. */
const LEADER = '\u2024'
/** A colon that looks like one, and ends no scheme. */
const RATIO = '\u2236'

/** To be read as it stands, while no mail client takes anything in it for an address that it makes a link of. Numbers, versions and days stay as they are. */
export const unlinked = (text: string): string =>
  text
    .replaceAll(/\d+(?:\.\d+){3,}/g, (numbers) => numbers.replaceAll('.', LEADER))
    .replaceAll(/(?<=[\p{L}\p{N}_-])[.。．｡](?=[\p{L}_-])|(?<=[\p{L}_-])[.。．｡](?=[\p{N}])/gu, LEADER)
    .replaceAll(/:(?<=\p{L}[\p{L}\p{N}+.-]*:)(?=\S)/gu, RATIO)
    .replaceAll(/([/\\])(?=[/\\])/g, `$1${JOINER}`)
    .replaceAll(/@(?=\S)/g, `@${JOINER}`)
