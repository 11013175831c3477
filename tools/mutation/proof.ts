// What takes each control of SECURITY.md out, so that it can be shown that the tests named there notice.

/** A file below `server/src` or the root, text that stands in it once, and what takes its place; where several layers hold, three more each. */
export type Mutation = readonly string[]

/** Test file → title (as SECURITY.md names it, `…` for what differs; empty for a whole PHP check) → what it must notice. */
export type Proofs = Readonly<Record<string, Readonly<Record<string, Mutation>>>>

export interface Edit {
  file: string
  from: string
  to: string
}

/** Throws a RangeError when it is not made of threes. */
export function editsOf(mutation: Mutation): Edit[] {
  if (mutation.length === 0 || mutation.length % 3 !== 0) throw new RangeError(`not made of threes: ${mutation[0]}`)
  return Array.from({ length: mutation.length / 3 }, (_, i) => {
    const [file = '', from = '', to = ''] = mutation.slice(i * 3, i * 3 + 3)
    return { file, from, to }
  })
}
