// How much of what a page showed is still to be seen: of what is drawn, not in which colours, wherever it has moved up or down.
import { columns } from '../platform/photograph.ts'

/** What two pictures before an update showed. `steady`: 1 where both were alike. */
export interface Before {
  drawn: Uint8Array
  steady: Uint8Array
}
export type Compared = { verdict: 'alike' | 'unlike' | 'blank'; likeness: number } | { verdict: 'unknown'; likeness: null; reason: string }

/** Less of what was there than this is another page. */
export const leastLikeness = 0.4
/** Less than this of all that was drawn is nothing. */
const blankBelow = 0.03
/** Of a page with next to nothing on it nothing can be told, nor of one that is mostly another each time. */
const leastDrawn = 2_000
const leastSteady = 0.3
/** What differs by so much from one picture to the next changes by itself. */
const moves = 24

/** Both were taken before anything was touched. */
export function beforeOf(first: Uint8Array, second: Uint8Array): Before {
  const moved = first.map((drawn, at) => (Math.abs(drawn - (second[at] ?? 0)) > moves ? 1 : 0))
  const near = spread(moved, (values) => Math.max(...values))
  return { drawn: first, steady: spread(near, (values) => 1 - Math.max(...values)) }
}

export function compare({ drawn, steady }: Before, after: Uint8Array): Compared {
  const all = sum(drawn)
  if (all < leastDrawn) return unknown('There was too little on the page before to compare it.')
  if (sum(after) < blankBelow * all) return { verdict: 'blank', likeness: 0 }
  // A little to the side is still the same place.
  const [was, is] = [smooth(drawn), smooth(after)]
  const held = was.map((value, at) => value * (steady[at] ?? 0))
  if (sum(held) < leastSteady * sum(was)) return unknown('Most of the page is another each time it is looked at.')
  const likeness = Math.round(100 * (found(held, is) / sum(held))) / 100
  return { verdict: likeness < leastLikeness ? 'unlike' : 'alike', likeness }
}

const unknown = (reason: string): Compared => ({ verdict: 'unknown', likeness: null, reason })

/** The most of it that is found again when rows may have moved apart or together, each in its order. */
function found(held: Float64Array, is: Float64Array): number {
  const [rows, others] = [held.length / columns, is.length / columns]
  let best = new Float64Array(others + 1)
  for (let row = 0; row < rows; row++) {
    const next = new Float64Array(others + 1)
    for (let other = 0; other < others; other++) {
      const both = (best[other] ?? 0) + shared(held, row, is, other)
      next[other + 1] = Math.max(both, next[other] ?? 0, best[other + 1] ?? 0)
    }
    best = next
  }
  return best[others] ?? 0
}

/** What is weaker counts as what is left of it; what is stronger covers it. */
function shared(held: Float64Array, row: number, is: Float64Array, other: number): number {
  let total = 0
  for (let column = 0; column < columns; column++) {
    const [was, now] = [held[row * columns + column] ?? 0, is[other * columns + column] ?? 0]
    total += now <= was ? now : Math.max(0, 2 * was - now)
  }
  return total
}

const smooth = (drawn: Uint8Array) =>
  spread(Float64Array.from(drawn), (values) => values.reduce((all, value) => all + value, 0) / values.length)

/** Each square by itself and those around it. */
function spread<Squares extends Uint8Array | Float64Array>(squares: Squares, of: (values: number[]) => number): Squares {
  const rows = squares.length / columns
  return squares.map((_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns]
    const values: number[] = []
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++)
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) values.push(squares[y * columns + x] ?? 0)
    return of(values)
  }) as Squares
}

const sum = (squares: Uint8Array | Float64Array): number => {
  let all = 0
  for (const value of squares) all += value
  return all
}
