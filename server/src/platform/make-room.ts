/** Lets go of what has been remembered longest, one for one: to forget all at once would make everybody ask at once. */
export function makeRoom<Key>(known: Map<Key, unknown>, most: number): void {
  for (const oldest of known.keys()) {
    if (known.size < most) return
    known.delete(oldest)
  }
}
