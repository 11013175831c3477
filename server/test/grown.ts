import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** How many MiB more this process holds after doing this `times`, what nobody refers to any more taken away; once before, for what is kept for good. */
export async function grown(times: number, round: () => Promise<void>): Promise<number> {
  const held = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  await round()
  const before = held()
  for (let again = 0; again < times; again++) await round()
  return (held() - before) / 2 ** 20
}
