/** What can change that others follow. */
export const changeKinds = ['site', 'job', 'rollout', 'activity', 'notice', 'approval', 'incident'] as const

/** What changed, and where in the order of what was heard; `id` null: several, or nobody knows which. `ready`: nothing yet. `reset`: anything may have. */
export interface Change {
  at: string
  kind: (typeof changeKinds)[number] | 'ready' | 'reset'
  id: string | null
  site_id: string | null
  /** Of several: the sites they are about. */
  sites?: readonly string[]
  /** For colleagues only. */
  internal?: true
}
