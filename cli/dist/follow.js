import { setTimeout as pause } from 'node:timers/promises'
import { Failure,                siteSaid } from './failure.js'
import { commandOf,             jobReader,                typed } from './manifest.js'
                                              
import { jsonOf, prepare,               send } from './request.js'
                                             
import { bytes, clean, cut, duration } from './text.js'

/** As it is said here (`inOwnWords`). */
                      
                
                         
                         
                       
                                                                                             
                                                                                         
                                                                      
                                
 

                
                 
               
               
                        
 

/** 8: the work itself failed or was canceled, for a reason that has no exit code of its own. */
const unsuccessful = 8
const longestSilence = 120_000

/** Looks at a job until it ends, with one line of progress on stderr. */
export async function follow(session         , terminal          , id        )                                           {
  const reader = jobReader(session.manifest)
  if (!reader) throw new Failure('This service has no way to look at a job.', 1)
  const look = `svc ${commandOf(reader)} ${id}`
  const line = progressLine(terminal)
  try {
    return { reader, job: await watch({ session, reader, id }, terminal, line.say) }
  } catch (error) {
    if (session.signal.aborted) throw new Failure('Stopped waiting.', 130, [`The job goes on. Look with: ${look}`])
    if (error instanceof Failure) error.details.push(`The job may go on. Look with: ${look}`)
    throw error
  } finally {
    line.clear()
  }
}

                  
                  
               
            
 

async function watch({ session, reader, id }        , terminal          , say                        )                   {
  const guess = estimate(terminal)
  let heard = terminal.now().getTime()
  for (let wait = 300; ; wait = Math.min(wait * 1.3, 2000)) {
    try {
      const job = (await jsonOf(await send(session, prepare(session.service, reader, { job_id: id }))))              
      if (typeof job?.status !== 'string') throw new Failure('The service tells no status of the job.', 1)
      heard = terminal.now().getTime()
      if (['completed', 'failed', 'canceled'].includes(job.status)) return job
      say(words(job, guess(job.progress?.percent ?? null)))
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== 1 || terminal.now().getTime() - heard > longestSilence) throw error
      say('The service does not answer; trying again.')
    }
    await pause(wait, undefined, { signal: session.signal })
  }
}

/** What may be done now, as it is typed here; at least a look at the whole of the job. */
export function nextCommands(manifest          , id        , { next_steps: steps }     )           {
  const reader = jobReader(manifest)
  const look = reader ? [{ why: 'See all of it.', command: typed(reader, { job_id: id }) }] : []
  return (steps?.length ? steps : look).map(({ why, command }) => `${clean(why)}\n    ${clean(command)}`)
}

/** How a job that ended without success ends the command; undefined when all went well. */
export function failureOfJob({ problems }          , { status, outcome, summary, error, result }     )                      {
  if (status === 'canceled') return new Failure('The job was canceled.', unsuccessful)
  if (status === 'failed')
    return new Failure(`The job failed. ${clean(String(error?.message ?? ''))}`.trim(), problems[error?.code ?? '']?.exit ?? unsuccessful, [
      ...siteSaid(error?.site_said),
      ...(error?.next ? [clean(error.next)] : []),
    ])
  const { all, bad } = tally(result)
  if (bad === 0 && outcome !== 'taken_back' && outcome !== 'failed') return undefined
  if (summary) return new Failure(clean(String(summary)), unsuccessful)
  return new Failure(`${bad} of ${all} failed; the others are done.`, unsuccessful, whatFailed(result))
}

/** A line for each item that has a name or a reason. */
const whatFailed = (result               )           =>
  (Array.isArray(result?.items) ? result.items : [])
    .filter(({ status }) => isBad(status))
    .map(({ name, slug, reason }) => [name || slug, reason].filter(Boolean).map(String).map(clean).join(': '))
    .filter((line) => line !== '')

/** What went wrong of a job's items, or of the sites of a rollout, of which one that is done in part has items that failed. */
function tally(result               )                               {
  if (Array.isArray(result?.items)) return { all: result.items.length, bad: result.items.filter(({ status }) => isBad(status)).length }
  const counts = Object.entries(result?.counts ?? {}).map(([status, count]) => ({ status, count: Number(count) || 0 }))
  const sum = (those               ) => those.reduce((all, { count }) => all + count, 0)
  return { all: sum(counts), bad: sum(counts.filter(({ status }) => isBad(status) || status === 'partly')) }
}

const isBad = (status                    ) => status === 'failed' || status === 'rolled_back'

/** Seconds left, from how fast the percentage grew since we look. */
function estimate(terminal          )                                                 {
  let first                                             
  return (percent) => {
    if (percent === null) return undefined
    const at = terminal.now().getTime()
    first ??= { percent, at }
    const grown = percent - first.percent
    return grown < 2 ? undefined : ((at - first.at) / 1000 / grown) * (100 - percent)
  }
}

function words({ status, phase, progress }     , left                    )         {
  const { percent, done = 0, total = 0, unit = '' } = progress ?? {}
  const amount = (count        ) => (unit === 'bytes' ? bytes(count) : String(count))
  return [
    percent === null || percent === undefined ? undefined : `${String(Math.floor(percent)).padStart(3)} %`,
    clean(String(phase ?? status)).replaceAll('_', ' '),
    total > 0
      ? `${amount(done)} of ${amount(total)}${unit && unit !== 'bytes' ? ` ${clean(String(unit))}` : ''}`
      : done > 0 && unit === 'bytes'
        ? amount(done)
        : undefined,
    left === undefined ? undefined : `about ${duration(left)} left`,
  ]
    .filter((part) => part !== undefined)
    .join('  ')
}

/** On a terminal one line that rewrites itself; in a log a line when something new happens, at most every 10 s for the same phase. */
export function progressLine(terminal          )                                             {
  let last = { phase: '', at: 0 }
  if (terminal.live)
    return {
      say: (text) => terminal.err(`\r\x1b[K${cut(text, (process.stderr.columns || 80) - 1)}`),
      clear: () => terminal.err('\r\x1b[K'),
    }
  return {
    say(text) {
      const at = terminal.now().getTime()
      const phase = text.replaceAll(/[\d.]+/g, '')
      if (phase === last.phase && at - last.at < 10_000) return
      last = { phase, at }
      terminal.err(`${text.trim()}\n`)
    },
    clear() {},
  }
}
