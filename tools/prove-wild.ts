// Walks through every world of e2e/native/worlds and prints what became of each: npm run prove:wild -- [part of a name …]
import { openTrustingHouse } from '../e2e/native/certificate.ts'
import { worlds } from '../e2e/native/worlds/all.ts'
import { walk } from '../e2e/native/worlds/walk.ts'

const parts = process.argv.slice(2)
const wanted = worlds.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))
if (wanted.length === 0) throw new Error(`No world has ${parts.join(' or ')} in its name.`)
const house = await openTrustingHouse()
const outcomes: string[] = []
const wrong: string[] = []
const [names, words] = [60, 8]
const line = (name: string, outcome: string, seconds: number) =>
  `${name.slice(0, names).padEnd(names)}  ${outcome.slice(0, words).padEnd(words)}  ${String(Math.round(seconds)).padStart(4)} s`

try {
  const waiting = wanted.values()
  const next = async () => {
    for (const world of waiting) {
      const began = performance.now()
      const outcome = await walk(house, world).catch((error: unknown) => {
        wrong.push(`${world.name}: ${error instanceof Error ? error.message : String(error)}`)
        return 'failed'
      })
      outcomes.push(outcome)
      process.stdout.write(`${line(world.name, outcome, (performance.now() - began) / 1000)}\n`)
    }
  }
  await Promise.all([next(), next()])
} finally {
  await house.close()
}
for (const why of wrong) process.stdout.write(`\n${why}\n`)
const count = (outcome: string) => outcomes.filter((one) => one === outcome).length
process.stdout.write(`\n${outcomes.length} worlds: ${count('back')} back, ${count('refused')} refused in words, ${wrong.length} wrong\n`)
process.exitCode = wrong.length > 0 ? 1 : 0
