// One site while its tweaks are looked at or changed.
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SiteConnection } from '../connector/ask.ts'
import { call } from '../connector/call.ts'
import type { Params, Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Running } from '../kernel/job.ts'
import { connectionOf, type Target } from '../sites/talk.ts'
import type { Here } from '../world.ts'

export interface TweakSite {
  here: Here
  job: Running
  site: Target
  connection: SiteConnection
}

type OrderVerb = 'tweaks.try' | 'tweaks.apply' | 'tweaks.revert' | 'tweaks.confirm'
type Order<V extends OrderVerb> = Omit<Params<V>, 'job' | 'fence'>

const askAgainMs = 1000
const patienceMs = 60_000

export async function tweakSite(here: Here, job: Running, site: Target): Promise<TweakSite> {
  return { here, job, site, connection: await connectionOf(here, site) }
}

/** Sends an order until it is answered. Under one request id, so that the site does it once; a new attempt of the job asks anew. */
export async function order<V extends OrderVerb>(
  { here, job, connection }: TweakSite,
  verb: V,
  params: Order<V>,
  patience = patienceMs,
): Promise<Result<V>> {
  const words = [job.id, job.fence, verb, ...Object.values(params), here.now().getTime()]
  const requestId = `req_${hash('sha256', words.join(' '), 'hex').slice(0, 32)}`
  const whole = { job: job.id, fence: job.fence, ...params } as Params<V>
  const deadline = performance.now() + patience
  for (;;) {
    job.signal.throwIfAborted()
    try {
      const { result } = await call<V>(here.wire, connection, verb, whole, { requestId, timeoutMs: 20_000 })
      return result
    } catch (error) {
      if (!(error instanceof SiteError) || !error.retryable || performance.now() > deadline) throw error
      await sleep(askAgainMs, undefined, { signal: job.signal })
    }
  }
}
