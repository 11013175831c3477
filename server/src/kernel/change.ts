/** What can change that others follow. */
export const changeKinds = ['site', 'job', 'rollout', 'activity', 'notice'] as const

/** What changed, and where in the order of what was heard; `id` null: several, or nobody knows which. `reset`: anything may have. */
export interface Change {
  at: string
  kind: (typeof changeKinds)[number] | 'reset'
  id: string | null
  site_id: string | null
}
