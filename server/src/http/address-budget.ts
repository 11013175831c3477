/** At most so many calls from one address in a minute; false for one too many. */
export function addressBudget(most: number): (address: string) => boolean {
  let window = 0
  let counts = new Map<string, number>()
  return (address) => {
    const minute = Math.floor(performance.now() / 60_000)
    if (minute !== window) {
      window = minute
      counts = new Map()
    }
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    return count <= most
  }
}
