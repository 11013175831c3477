import { cut, widthOf, wrap } from './text.js'

                       
              
                                            
                 
 

/** Lines, and the titles of columns that there was no room for. */
                        
                 
                  
 

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 }
const gap = 2
const narrowest = 14
/** Of a terminal. */
const narrow = 60
/** Columns of the terminal: what is wider is prose, and goes below its row where the table is too wide. */
const prose = 32

export const paint = (text        , colour                                , on         ) =>
  on && colour ? `\x1b[${codes[colour]}m${text}\x1b[0m` : text

/**
 * Aligned columns, no wider than `width`, the first ones being those that matter. What does not fit: prose goes below its row, wide
 * columns are cut, the last ones are left out. Where most would be left out, or the terminal is narrow, each row is a block of lines instead.
 */
export function table(head                   , rows                              , width        , colour         )        {
  const natural = head.map((title, i) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[i]?.text ?? ''))))
  const below = proseBelow(natural, width)
  const beside = head.map((_, i) => i).filter((i) => !below.includes(i))
  const wanted = beside.map((i) => natural[i] ?? 0)
  // A heading that is cut says nothing, and the first column is the one to copy from.
  const least = beside.map((i, at) =>
    at === 0 ? (wanted[at] ?? 0) : Math.min(wanted[at] ?? 0, Math.max(narrowest, widthOf(head[i] ?? ''))),
  )
  const widths = fit(wanted, least, width)
  const shown = beside.slice(0, widths.length)
  const hidden = beside.slice(widths.length).map((i) => head[i] ?? '')
  if (hidden.length > (width < narrow ? 0 : shown.length)) return { lines: blocks(head, rows, width, colour), hidden: [] }
  const line = (cells                 ) =>
    shown
      .map((i, at) => pad(cells[i] ?? { text: '' }, widths[at] ?? 0, at === shown.length - 1, colour))
      .join(' '.repeat(gap))
      .trimEnd()
  const right = (i        ) => rows.some((row) => row[i]?.right) && rows.every((row) => row[i]?.right || row[i]?.paint === 'dim')
  const titles = head.map((text, i)       => ({ text, paint: 'dim', right: right(i) }))
  const under = (row                 ) => below.flatMap((i) => labelled(head[i] ?? '', row[i], { width, colour, indent: gap }))
  return { lines: [line(titles), ...rows.flatMap((row) => [line(row), ...under(row)])], hidden }
}

/** Each row as its cells, one below the other. */
function blocks(head                   , rows                              , width        , colour         )           {
  return rows.flatMap((row, n) => [
    ...(n > 0 ? [''] : []),
    ...head.flatMap((title, i) => labelled(title, row[i], { width, colour, indent: i === 0 ? 0 : gap })),
  ])
}

                 
               
                 
                
 

/** `title: text`, wrapped; nothing for an empty cell. */
function labelled(title        , cell                  , { width, colour, indent }       )           {
  if (!cell || cell.text === '–' || cell.text === '') return []
  const room = Math.max(1, width - indent)
  return wrap(`${title.toLowerCase()}: ${cell.text}`, room).map((line) => ' '.repeat(indent) + paint(cut(line, room), cell.paint, colour))
}

function pad({ text, paint: shade, right }      , columns        , last         , colour         )         {
  const shown = cut(text, columns)
  const space = ' '.repeat(Math.max(0, columns - widthOf(shown)))
  const painted = paint(shown, shade, colour)
  return right ? space + painted : last ? painted : painted + space
}

/** Of the prose the longest first, until there is room for the rest. */
function proseBelow(natural                   , width        )           {
  const long = natural.map((_, i) => i).filter((i) => i > 0 && (natural[i] ?? 0) > prose)
  const longestFirst = long.toSorted((a, b) => (natural[b] ?? 0) - (natural[a] ?? 0))
  const fits = (below                   ) =>
    !tooWide(
      natural.filter((_, i) => !below.includes(i)),
      width,
    )
  const count = longestFirst.findIndex((_, i) => fits(longestFirst.slice(0, i)))
  return count < 0 ? long : longestFirst.slice(0, count).toSorted((a, b) => a - b)
}

const tooWide = (widths                   , width        ) => sum(widths) + gap * (widths.length - 1) > width

/** The widths of as many columns as there is room for, the widest cut first; at the very end the only one. */
function fit(natural                   , least                   , width        )           {
  const widths = [...natural]
  while (widths.length > 1 && tooWide(least.slice(0, widths.length), width)) widths.pop()
  const spare = (at        ) => (widths.length > 1 ? (widths[at] ?? 0) - (least[at] ?? 0) : (widths[at] ?? 0) - 1)
  for (let over = sum(widths) + gap * (widths.length - 1) - width; over > 0; over--) {
    const widest = widths.reduce((best, each, at) => (spare(at) > 0 && (spare(best) <= 0 || each > (widths[best] ?? 0)) ? at : best), 0)
    widths[widest] = (widths[widest] ?? 1) - 1
  }
  return widths
}

const sum = (numbers                   ) => numbers.reduce((all, each) => all + each, 0)
