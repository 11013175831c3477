// What the sections of a report are put together from.
import { type Html, html } from '../kernel/html.ts'
import type { Language } from './language.ts'

/** A cell: text, which is put apart from what stands around it, or something made of it. */
type Cell = Html | string | number | undefined

/** Words of a site or a person: whatever direction they run in, they turn nothing around them. */
export const foreign = (text: string): Html => html`<bdi>${text}</bdi>`

/** A table with a head; `figures`: the columns that are set to the right. */
export function table(heads: readonly Cell[], rows: readonly (readonly Cell[])[], figures: readonly number[] = []): Html {
  const place = (n: number) => figures.includes(n) && html` class="figure"`
  return html`<table><thead><tr>${heads.map((head, n) => html`<th scope="col"${place(n)}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) => html`<tr>${cells.map((cell, n) => html`<td${place(n)}>${cell ?? '–'}</td>`)}</tr>
`,
  )}</tbody></table>`
}

/** What reads the same is told once, where it comes first, with how often it is there. */
export function alike<Of>(all: readonly Of[], cellsOf: (one: Of) => string[]): { cells: string[]; n: number }[] {
  const rows = new Map<string, { cells: string[]; n: number }>()
  for (const one of all) {
    const cells = cellsOf(one)
    const key = JSON.stringify(cells)
    rows.set(key, { cells, n: (rows.get(key)?.n ?? 0) + 1 })
  }
  return [...rows.values()]
}

/** What is told once of `n` that read the same. */
export const oftenSaid = ({ number }: Language, text: string, n: number): string => (n === 1 ? text : `${text} (${number(n)}×)`)

/** How many rows there were beside those that are shown. */
export const moreRows = ({ say }: Language, more: number): Html | false => more > 0 && html`<p class="soft">${say('more', { n: more })}</p>`

/** A security problem in words that need no knowledge. */
export function problemOf({ say }: Language, kind: string, component: string | null): string {
  const words = say(`kind.${kind}`)
  return component === null ? words : say('kind.of', { kind: words, component })
}
