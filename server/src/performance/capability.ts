import { sql } from 'kysely'
import { z } from 'zod'
import type { Capability } from '../kernel/capability.ts'
import { utc } from '../sites/store.ts'
import type { World } from '../world.ts'
import { probe } from './jobs.ts'
import { lab } from './lab-job.ts'
import { whyNoLab } from './lab-run.ts'
import { list, measure } from './operations.ts'
import { dailyProbe, weeklyLab } from './service.ts'

const Known = z
  .object({ ttfb_ms: z.int(), page_bytes: z.int().nullable(), collected_at: z.string().meta({ format: 'date-time' }) })
  .nullable()
  .describe('The latest sample; get_performance (GET /performance) tells more. null: nobody has looked yet.')

export const capability: Capability<World> = {
  operations: [list, measure],
  jobs: [probe, lab],
  duties: [
    { name: 'performance', ofSite: dailyProbe },
    { name: 'lab', ofSite: weeklyLab },
  ],
  summary: {
    performance: {
      shape: Known,
      sql: sql`(SELECT json_build_object('ttfb_ms', p.ttfb_ms, 'page_bytes', p.page_bytes, 'collected_at', ${utc('p.collected_at')})
        FROM performance_samples p WHERE (p.workspace_id, p.site_id, p.source) = (s.workspace_id, s.id, 'probe')
        ORDER BY p.collected_at DESC LIMIT 1)`,
    },
  },
  retention: [
    { table: 'performance_samples', at: 'collected_at', days: 400 },
    { table: 'lab_samples', at: 'collected_at', days: 400 },
  ],
  recurring: [
    {
      kind: 'performance',
      what: 'It is measured how fast it answers.',
      every: sql`86400`,
      last: sql`(SELECT max(collected_at) FROM performance_samples x WHERE (x.workspace_id, x.site_id) = (s.workspace_id, s.id))`,
      isOn: ({ performanceProbes }) => performanceProbes !== 'off',
    },
    {
      kind: 'lab',
      what: 'A browser looks at how fast its front page is there (Lighthouse).',
      every: sql`604800`,
      last: sql`(SELECT max(collected_at) FROM lab_samples x WHERE (x.workspace_id, x.site_id) = (s.workspace_id, s.id))`,
      isOn: (config) => config.labRuns !== 'off' && whyNoLab(config) === null,
    },
  ],
}
