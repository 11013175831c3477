import { counted, type JobKind, type JobSummary, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { World } from '../world.ts'
import { type SourceResult, sourcesOfCheck as sources } from './check.ts'
import { checkSite } from './check-site.ts'

/** An attempt that was killed goes on with the next source. */
export const check: JobKind<World, Record<string, unknown>, Checked> = {
  ...{ type: 'security_check', retries: 1, changesSite: false },
  work: checkSecurity,
  summarize,
  next: (_, { siteId, result }) =>
    result.findings === 0 ? [] : [{ why: 'See what was found.', tool: 'get_security', input: { site_id: siteId } }],
}

type Checked = ReturnType<typeof summary>

function summarize({ findings, opened, fixed, sources: looked }: Checked): JobSummary {
  const missed = looked.filter(({ status }) => status === 'failed').length
  const but = missed > 0 ? ` ${missed} of ${looked.length} sources could not be looked at.` : ''
  return { outcome: missed > 0 ? 'partly' : 'done', summary: `${counted(findings, 'finding')}: ${opened} new, ${fixed} fixed.${but}` }
}

async function checkSecurity(world: World, job: Running) {
  const here = { ...world, workspaceId: job.workspaceId }
  const results = await checkSite(
    here,
    job.siteId,
    {
      sources,
      refresh: true,
      signal: job.signal,
      async phase(source) {
        const done = sources.indexOf(source)
        await job.progress({ percent: Math.floor((100 * done) / sources.length), done, total: sources.length, unit: 'steps' })
        await job.phase(source)
      },
      files: (read) => job.progress({ percent: null, done: read, total: 0, unit: 'files' }),
      before: async (source) => (await job.stateOf(source)) as SourceResult | undefined,
      save: (source, result, db) => job.saveState(source, result, db),
    },
    { by: job.requestedBy, jobId: job.id, signal: job.signal },
  )
  for (const { source, status } of results) if (status === 'checked') await job.finishStep(source)
  const [failed] = results.filter(({ status }) => status === 'failed')
  if (failed && results.every(({ status }) => status === 'failed'))
    throw new Problem('site_unreachable', failed.error ?? 'The site could not be looked at.', {
      retryable: true,
      siteSaid: failed.site_said,
    })
  await job.progress({ percent: 100, done: sources.length, total: sources.length, unit: 'steps' })
  return summary(results)
}

function summary(results: SourceResult[]) {
  const count = (what: 'opened' | 'reopened' | 'fixed') => results.reduce((sum, result) => sum + result[what].length, 0)
  return {
    findings: results.reduce((sum, { findings }) => sum + findings, 0),
    opened: count('opened') + count('reopened'),
    fixed: count('fixed'),
    sources: results.map(({ source, status, findings, error, site_said }) => ({ source, status, findings, error, site_said })),
  }
}
