// One site while its tweaks are looked at or changed.
import { hash } from 'node:crypto'
import type { Params, Result } from '../connector/commands.ts'
import type { Running } from '../kernel/job.ts'
import { SiteClient } from '../sites/client.ts'
import type { Target } from '../sites/talk.ts'
import type { Here } from '../world.ts'

export interface TweakSite {
  here: Here
  job: Running
  site: Target
  client: SiteClient
}

type OrderVerb = 'tweaks.try' | 'tweaks.apply' | 'tweaks.revert' | 'tweaks.confirm'
type Order<V extends OrderVerb> = Omit<Params<V>, 'job' | 'fence'>

const usualPatienceMs = 60_000

export async function tweakSite(here: Here, job: Running, site: Target): Promise<TweakSite> {
  return { here, job, site, client: await SiteClient.open(here, site, job.signal) }
}

/** Sends an order, under one request id, so that the site does it once; a new attempt of the job asks anew. */
export function order<V extends OrderVerb>(
  { here, job, client }: TweakSite,
  verb: V,
  params: Order<V>,
  patienceMs = usualPatienceMs,
): Promise<Result<V>> {
  const words = [job.id, job.fence, verb, ...Object.values(params), here.now().getTime()]
  const requestId = `req_${hash('sha256', words.join(' '), 'hex').slice(0, 32)}`
  const whole = { job: job.id, fence: job.fence, ...params } as Params<V>
  return client.ask(verb, whole, { requestId, timeoutMs: 20_000, patienceMs })
}
