// The fleet as tasks and tests find it.
import type { FakeSite } from '../../server/test/fake-site.ts'
import type { Agent } from '../../server/test/mcp-agent.ts'
import type { TestWorld } from '../../server/test/world.ts'
import type { Real } from './real.ts'

export interface Managed {
  id: string
  url: string
  fake: FakeSite
}
export interface Planted {
  here: TestWorld
  /** By its number, from 1. */
  site(n: number): Managed
  /** The number of the site with this id or address; undefined: it is a real one. */
  numberOf(idOrUrl: string): number | undefined
  real: readonly Real[]
  /** The day before, in UTC. */
  yesterday: string
  agent(name: string): Promise<Agent>
  close(): Promise<void>
}

export const dayMs = 86_400_000
