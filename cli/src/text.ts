// Control characters, escape sequences and direction overrides: text from a site must not move the cursor or lie about its order.
const dangerous = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** On one line, and harmless on a terminal. */
export const clean = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll(dangerous, '')

/** How many columns it takes. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0)
}

/** At most `width` columns, the cut marked by an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += wide.test(segment) ? 2 : 1
    if (used > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

/** Lines of at most `width` columns, broken between words, and within `a|b|c` where that is longer; any other long word stays whole. */
export function wrap(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= width) line = longer
    else {
      if (line !== '') lines.push(line)
      line = word
      for (let bar = line.lastIndexOf('|', width - 1); widthOf(line) > width && bar >= 0; bar = line.lastIndexOf('|', width - 1)) {
        lines.push(line.slice(0, bar + 1))
        line = line.slice(bar + 1)
      }
    }
  }
  return [...lines, line]
}

/** A command in lines that can be typed as they stand; a flag stays with its value where there is room, what is quoted stays whole. */
export function continued(command: string, width: number): string[] {
  if (widthOf(command) <= width) return [command]
  const room = width - 4
  const words = command.match(/(?:'[^']*'|\\'|[^\s'])+/g) ?? []
  const pairs = words.flatMap((word, i) => {
    if (words[i - 1]?.startsWith('--') && !word.startsWith('--')) return []
    const value = word.startsWith('--') ? words[i + 1] : undefined
    return value === undefined || value.startsWith('--') ? [[word]] : [[word, value]]
  })
  const lines: string[] = []
  for (const part of pairs.flatMap((pair) => (widthOf(pair.join(' ')) <= room ? [pair.join(' ')] : pair))) {
    const longer = `${lines.at(-1) ?? ''} ${part}`.trimStart()
    if (lines.length > 0 && widthOf(longer) <= room) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines.map((line, i) => `${i > 0 ? '  ' : ''}${line}${i < lines.length - 1 ? ' \\' : ''}`)
}

/** Text of several lines, none wider; each keeps its indent, and what is set in as a command stays one. */
export function fold(text: string, width: number): string {
  const lines = text.split('\n').flatMap((line) => {
    const words = line.trimStart()
    const indent = line.slice(0, line.length - words.length)
    const room = width - indent.length
    return (indent.length >= 4 && words.startsWith('svc ') ? continued(words, room) : wrap(words, room)).map((each) => indent + each)
  })
  return lines.join('\n')
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `1536000` → `1.5 MB`. */
export function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), units.length - 1)
  const value = count / 1000 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}

/** `95` → `1 min 35 s`. */
export function duration(seconds: number): string {
  const s = Math.round(seconds)
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min${s % 60 && s < 600 ? ` ${s % 60} s` : ''}`
  if (s < 86_400) return `${Math.floor(s / 3600)} h${s % 3600 >= 60 ? ` ${Math.floor((s % 3600) / 60)} min` : ''}`
  return `${Math.floor(s / 86_400)} d`
}

/** `2 min ago`, `in 3 h`; the date when it is more than 30 days away. */
export function relative(time: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(time)) / 1000
  if (Number.isNaN(seconds)) return clean(time)
  const away = Math.abs(seconds)
  if (away > 30 * 86_400) return time.slice(0, 10)
  if (away < 5) return 'now'
  const rough =
    away < 60
      ? `${Math.round(away)} s`
      : away < 3600
        ? `${Math.round(away / 60)} min`
        : away < 86_400
          ? `${Math.round(away / 3600)} h`
          : `${Math.round(away / 86_400)} d`
  return seconds > 0 ? `${rough} ago` : `in ${rough}`
}
