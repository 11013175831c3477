/** A titled table for people: the first column to the left, the others to the right. */
export function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((text, i) => Math.max(text.length, ...rows.map((row) => (row[i] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `  ${widths.map((width, i) => (i === 0 ? (cells[i] ?? '').padEnd(width) : (cells[i] ?? '').padStart(width))).join('  ')}`.trimEnd()
  return `${title}\n${[head, ...rows].map(line).join('\n')}\n\n`
}

export const verdict = (kept: boolean) => (kept ? 'kept' : 'MISSED')
