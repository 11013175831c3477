// What a report is made of: figures and events, in no language. Whatever a site or a person said is text, and shown as nothing else.

/** Null is not known, and said so. */
export interface Facts {
  from: string
  to: string
  made_at: string
  time_zone: string
  sites: SiteFacts[]
  work: Work[]
  /** How many there are beside those; absent in what was drafted before this was kept. */
  work_more?: number
  updates: UpdateFacts
  restores: { at: string; site: string; undone: boolean }[]
  uptime: UptimeFacts
  performance: { site: string; direction: string; before: number | null; now: number | null; points: number[] }[]
  security: SecurityFacts
  links: { scans: number; scanned: number; mended: number; broken: number | null }
}

/** One site as it was when the figures were made, and its backups of the period. */
export interface SiteFacts {
  id: string
  name: string
  url: string
  /** Whether it answered when it was last asked. */
  up: boolean | null
  updates_waiting: number | null
  open: Record<Grade, number> | null
  last_backup_at: string | null
  backups: { completed: number; failed: number; suspect: number; level: Level; checked_at: string | null }
  uptime: { ratio: number | null; outages: number; down_s: number }
}

/** How far a backup was tried out: the best of the period. */
export type Level = 'none' | 'present' | 'content' | 'restored' | 'imported'
export const grades = ['critical', 'high', 'medium', 'low'] as const
export type Grade = (typeof grades)[number]

export interface Work {
  /** Of the entry, so that one that was made internal meanwhile is never published. */
  id: string
  at: string
  site: string | null
  category: string
  summary: string
  by: string | null
}

export interface UpdateFacts {
  installed: number
  taken_back: number
  failed: number
  items: UpdateItem[]
  /** Those that were taken back because they harmed their site. */
  back: { at: string; site: string; name: string; version: string }[]
  /** How many kinds there are beside those. */
  more: number
}

/** All updates of one component, on whatever sites. */
export interface UpdateItem {
  type: string
  name: string
  from: string
  to: string
  times: number
  sites: number
  last_at: string
}

export interface Risk {
  site: string
  kind: string
  severity: string
  component: string | null
  found_at: string
}

export interface UptimeFacts {
  /** Of all sites together; null: nobody looked. */
  ratio: number | null
  /** By day, or by week where there are too many. */
  points: { at: string; ratio: number | null }[]
  step: 'day' | 'week'
  incidents: { site: string; kind: 'down' | 'app_down'; cause: string; at: string; ended_at: string | null; seconds: number }[]
  outages: number
  down_s: number
  more: number
}

export interface SecurityFacts {
  found: number
  fixed: number
  /** What is open now and grave, worst first, whenever it was found; absent in what was drafted before this was kept. */
  open?: Risk[]
  items: { site: string; kind: string; severity: string; component: string | null; found_at: string; fixed_at: string | null }[]
  more: number
}
