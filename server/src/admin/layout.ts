// How words are laid out where somebody looks: no line wider than the terminal, as far as words let it.

/** Lines of at most `width` columns, broken between words; what stands in brackets stays whole, and so does a longer word. */
export const wrap = (text: string, width: number): string[] => joined(text.split(/ (?![^[\]]*\])/), ' ', width)

/** What a list tells of one thing, part by part: one line, or where that is too wide several of which the others are set in. */
function stacked(parts: readonly string[], width: number): string {
  const whole = parts.join('  ')
  return whole.length <= width ? whole : joined(parts, '  ', width - 2).join('\n  ')
}

/** One line of a list: in a pipe as scripts may count on it, and for somebody who looks names first. */
export const listed = (width: number | undefined, parts: { piped: readonly string[]; seen: readonly string[] }): string =>
  width === undefined || width === Number.POSITIVE_INFINITY ? parts.piped.join('  ') : stacked(parts.seen, width)

/** As many parts in a line as there is room for. */
function joined(parts: readonly string[], between: string, width: number): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const longer = `${lines.at(-1)}${between}${part}`
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines
}
