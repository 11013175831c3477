import { randomUUID } from 'node:crypto'
import { operations } from './capabilities.ts'
import { plain } from './kernel/cached-answer.ts'
import type { Caller, Face } from './kernel/context.ts'
import { run } from './kernel/run.ts'
import type { World } from './world.ts'

/** Runs an operation that our own code names, through the same door as everybody. */
export async function callByName(
  world: World,
  { caller, face }: { caller: Caller; face: Face },
  name: string,
  input: object,
): Promise<Record<string, unknown>> {
  const operation = operations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`There is no operation ${name}.`)
  const { output } = await run(world, operation, { caller, face, requestId: `req_${randomUUID().replaceAll('-', '')}` }, input)
  return plain(output) as Record<string, unknown>
}
