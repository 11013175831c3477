// Which tweaks of a fake site are on, and what stands in their way.

/** What a test can bend. */
export type FakeTweaks = {
  on: Set<string>
  /** Switched on, but without effect. */
  broken: Set<string>
  /** Somebody else sees to it: tweak → who. */
  others: Map<string, string>
  server: 'apache' | 'nginx'
  fences: Map<string, number>
  /** The site ends in an error while one of these is on. */
  harmful: Set<string>
  /** The server refuses every rule with an error. */
  rejects: boolean
  /** Why none of them can be switched on. */
  obstacle: string
  trial: string | undefined
}

export const fakeTweaks = (): FakeTweaks => ({
  on: new Set(),
  broken: new Set(),
  others: new Map(),
  server: 'apache',
  fences: new Map(),
  harmful: new Set(),
  rejects: false,
  obstacle: '',
  trial: undefined,
})
