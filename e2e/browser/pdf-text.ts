// What a PDF of Chromium says, read as a program for the blind reads it: by each font's table of letters.
import { inflateSync } from 'node:zlib'

/** The text of each page, without white space: where words end is a matter of places on paper. */
export function textOfPdf(pdf: Buffer): string[] {
  const objects = objectsOf(pdf)
  const letters = new Map<string, Map<string, string>>()
  for (const [id, { head }] of objects) {
    const table = /\/ToUnicode (\d+) 0 R/.exec(head)?.[1]
    if (table !== undefined) letters.set(`F${id}`, lettersOf(objects.get(table)?.content ?? ''))
  }
  const pages = [...objects.values()].filter(({ head }) => /\/Type \/Page\b/.test(head))
  return pages.map(({ head }) => {
    const content = objects.get(/\/Contents (\d+) 0 R/.exec(head)?.[1] ?? '')?.content ?? ''
    let font: Map<string, string> | undefined
    let text = ''
    for (const [, named, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj/g)) {
      if (named !== undefined) font = letters.get(named)
      for (const glyph of glyphs?.match(/.{4}/g) ?? []) text += font?.get(glyph) ?? '\ufffd'
    }
    return text.normalize('NFKC').replaceAll(/\s/g, '')
  })
}

function objectsOf(pdf: Buffer): Map<string, { head: string; content: string }> {
  const objects = new Map<string, { head: string; content: string }>()
  const whole = pdf.toString('latin1')
  for (const { 1: id = '', index, 0: begin } of whole.matchAll(/^(\d+) 0 obj\n/gm)) {
    const at = index + begin.length
    const head = whole.slice(at, whole.indexOf('endobj', at)).split('stream\n')[0] ?? ''
    const length = Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0)
    const from = at + head.length + 'stream\n'.length
    const packed = length > 0 && head.includes('/FlateDecode')
    objects.set(id, { head, content: packed ? inflateSync(pdf.subarray(from, from + length)).toString('latin1') : '' })
  }
  return objects
}

/** Glyph → text, from a table of single ones and of ranges. */
function lettersOf(table: string): Map<string, string> {
  const letters = new Map<string, string>()
  const glyph = (at: number) => at.toString(16).toUpperCase().padStart(4, '0')
  for (const [, first = '', last = '', text = ''] of table.matchAll(/^<([0-9A-F]{4})> (?:<([0-9A-F]{4})> )?<([0-9A-F]+)>$/gm)) {
    const [from, to] = [Number.parseInt(first, 16), Number.parseInt(last || first, 16)]
    const units = text.match(/.{4}/g)?.map((unit) => Number.parseInt(unit, 16)) ?? []
    for (let n = 0; from + n <= to; n++) letters.set(glyph(from + n), String.fromCharCode(...units.slice(0, -1), (units.at(-1) ?? 0) + n))
  }
  return letters
}
