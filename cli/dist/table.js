import { cut, widthOf } from './text.js'

                       
              
                                            
                 
 

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 }
const gap = 2
const narrowest = 14

export const paint = (text        , colour                                , on         ) =>
  on && colour ? `\x1b[${codes[colour]}m${text}\x1b[0m` : text

/** Lines with aligned columns, no wider than `width`: wide columns are cut first, then the last ones are left out. */
export function table(head                   , rows                              , width        , colour         )           {
  const natural = head.map((title, i) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[i]?.text ?? ''))))
  const widths = fit(natural, width)
  const line = (cells                 ) =>
    widths
      .map((columns, i) => pad(cells[i] ?? { text: '' }, columns, i === widths.length - 1, colour))
      .join(' '.repeat(gap))
      .trimEnd()
  const right = (i        ) => rows.length > 0 && rows.every((row) => row[i]?.right || row[i]?.text === '–')
  const titles = head.map((text, i)       => ({ text, paint: 'dim', right: right(i) }))
  return [line(titles), ...rows.map(line)]
}

function pad({ text, paint: shade, right }      , columns        , last         , colour         )         {
  const shown = cut(text, columns)
  const space = ' '.repeat(Math.max(0, columns - widthOf(shown)))
  const painted = paint(shown, shade, colour)
  return right ? space + painted : last ? painted : painted + space
}

/** The first column, the one to copy from, stays whole as long as it can. */
function fit(natural                   , width        )           {
  const widths = [...natural]
  const least = () => sum(widths.map((each, i) => (i === 0 ? each : Math.min(each, narrowest)))) + gap * (widths.length - 1)
  while (widths.length > 1 && least() > width) widths.pop()
  for (let over = sum(widths) + gap * (widths.length - 1) - width; over > 0; over--) {
    const widest = widths.length > 1 ? widths.indexOf(Math.max(...widths.slice(1)), 1) : 0
    widths[widest] = Math.max(1, (widths[widest] ?? 1) - 1)
  }
  return widths
}

const sum = (numbers                   ) => numbers.reduce((all, each) => all + each, 0)
