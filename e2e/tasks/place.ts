// The fleet as tasks and tests find it.
import type { FakeSite } from '../../server/test/fake-site.ts'
import type { Agent } from '../../server/test/mcp-agent.ts'
import type { TestWorld } from '../../server/test/world.ts'
import type { Real } from './real.ts'

export interface Managed {
  id: string
  url: string
  domain: string
  fake: FakeSite
}
export interface Calendar {
  /** The day before, in UTC. */
  yesterday: string
}
export interface Planted extends Calendar {
  here: TestWorld
  /** By its number, from 1. */
  site(n: number): Managed
  real: readonly Real[]
  agent(name: string): Promise<Agent>
  close(): Promise<void>
}

export const dayMs = 86_400_000
export const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

/** As answers name these sites, sorted. */
export const urlsOf = ({ site }: Pick<Planted, 'site'>, numbers: readonly number[]) => numbers.map((n) => site(n).url).sort()
export const domainsOf = ({ site }: Pick<Planted, 'site'>, numbers: readonly number[]) => numbers.map((n) => site(n).domain).sort()
