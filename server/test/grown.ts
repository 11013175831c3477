/** By how many MiB this process grows while it does this `times`; before that as often, until the collector has found its pace. */
export async function grown(times: number, round: () => Promise<void>): Promise<number> {
  for (let again = 0; again < times; again++) await round()
  const before = process.memoryUsage().rss
  for (let again = 0; again < times; again++) await round()
  return (process.memoryUsage().rss - before) / 2 ** 20
}
