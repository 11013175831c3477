// Walks through every world of e2e/native/worlds and prints what became of each: npm run prove:wild -- [part of a name …]
import { openHouse } from '../e2e/house.ts'
import { worlds } from '../e2e/native/worlds/all.ts'
import { type Tried, tryWorld } from '../e2e/native/worlds/try-world.ts'

const parts = process.argv.slice(2)
const wanted = worlds.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))
if (wanted.length === 0) throw new Error(`No world has ${parts.join(' or ')} in its name.`)
const house = await openHouse()
const tried: Tried[] = []
const [names, words] = [41, 27]
const line = (name: string, outcome: string, seconds: number) =>
  `${name.slice(0, names).padEnd(names)}  ${outcome.slice(0, words).padEnd(words)}  ${String(Math.round(seconds)).padStart(4)} s`

try {
  const waiting = wanted.values()
  const next = async () => {
    for (const world of waiting) {
      const one = await tryWorld(house, world)
      tried.push(one)
      process.stdout.write(`${line(world.name, one.outcome, one.seconds)}\n`)
    }
  }
  await Promise.all([next(), next()])
} finally {
  await house.close()
}
const wrong = tried.filter(({ isRight }) => !isRight)
for (const { name, why } of tried.filter(({ why }) => why !== '')) process.stdout.write(`\n${name}: ${why}\n`)
const count = (outcome: RegExp) => tried.filter((one) => outcome.test(one.outcome)).length
process.stdout.write(
  `\n${tried.length} worlds: ${count(/^back/)} back, ${count(/^refused/)} refused in words, ${count(/^not yet/)} not yet, ${wrong.length} wrong\n`,
)
process.exitCode = wrong.length > 0 ? 1 : 0
