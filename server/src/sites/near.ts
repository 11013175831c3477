// What could have been meant by a name that nothing has.
import { distance } from 'fastest-levenshtein'

/** Something with a name to be told, and the words that it may be called by, folded. */
export interface Named {
  name: string
  words: readonly string[]
}

/** Without accents, in small letters. */
export const folded = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()

/**
 * Names of what could have been meant: what is asked for is in one of its words, or one of them in that; where there is none, those that a
 * few letters turn into it, the nearest first.
 */
export function likelyMeant(known: readonly Named[], named: string): string[] {
  const wanted = folded(named)
  if (wanted.length < 3) return []
  const within = known.filter(({ words }) => words.some((each) => each.includes(wanted) || (each.length > 3 && wanted.includes(each))))
  const near = within.length > 0 || wanted.length > longestTypo ? within : mistyped(known, wanted)
  return near.slice(0, mostMeant).map(({ name }) => name)
}

const mostMeant = 5
/** Of letters; nobody mistypes more. */
const longestTypo = 100

/** One letter in four may be wrong; two that changed places are two. */
function mistyped(known: readonly Named[], wanted: string): Named[] {
  const scored = known.map((each) => ({ each, far: Math.min(...each.words.map((word) => distance(word.slice(0, longestTypo), wanted))) }))
  return scored
    .filter(({ far }) => far <= Math.ceil(wanted.length / 4))
    .sort((a, b) => a.far - b.far)
    .map(({ each }) => each)
}
