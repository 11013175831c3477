/** The known word that begins so, if there is one, or that is at most two letters away. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const begun = known.filter((each) => word.length > 3 && each.startsWith(word))
  if (begun.length === 1) return begun[0]
  const scored = known.map((each) => ({ each, far: distance(word, each) })).filter(({ far }) => far <= 2)
  return scored.sort((a, b) => a.far - b.far)[0]?.each
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[b.length] ?? 0
}
