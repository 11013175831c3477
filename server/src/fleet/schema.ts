import { z } from 'zod'
import type { Site } from '../sites/schema.ts'

/** Why somebody must look at a site, the gravest first. */
export const needs = ['down', 'disconnected', 'vulnerable', 'backup', 'updates'] as const
export const Need = z
  .enum(needs)
  .describe(
    'down: its pages or WordPress do not answer. disconnected: its connector is not reached. vulnerable: critical or high findings are open. backup: the last one failed, or there was no good one for eight days. updates: some wait.',
  )
export type Need = z.infer<typeof Need>

/** By what a list is ordered. */
export const orders = ['urgency', 'name', 'newest', 'backup', 'updates'] as const

/** What the other capabilities tell of a site, as far as it is judged here. */
export interface KnownSite extends Site {
  uptime: { state: 'up' | 'down' | 'unknown'; unproven_since: string | null; app_up: boolean | null; app_was_down: boolean } | null
  security: { worst_severity: string | null } | null
  last_backup: { status: string } | null
  last_good_backup: { completed_at: string } | null
}
