import type { Caller } from '../kernel/context.ts'

interface Bucket {
  /** When the bucket would be empty again, on the monotonic clock, milliseconds. */
  emptyAt: number
}

const mostCallers = 20_000

/** A leaky bucket for each caller: `perMinute` calls on average, a tenth of a minute's worth at once. RateLimit headers as in the IETF draft. */
export function rateLimiter(perMinute: number) {
  const costMs = 60_000 / perMinute
  const burst = Math.max(1, Math.ceil(perMinute / 10))
  const windowMs = burst * costMs
  const policy = `"calls";q=${burst};w=${Math.ceil(windowMs / 1000)}`
  const buckets = new Map<string, Bucket>()

  return (caller: Caller): { refused: boolean; headers: Record<string, string> } => {
    const now = performance.now()
    const bucket = buckets.get(caller.id) ?? newBucket(buckets, caller.id)
    const from = Math.max(now, bucket.emptyAt)
    const refused = from + costMs - now > windowMs
    if (!refused) bucket.emptyAt = from + costMs
    const left = Math.max(0, Math.floor((windowMs - (bucket.emptyAt - now)) / costMs))
    const reset = Math.ceil(Math.max(0, bucket.emptyAt - now) / 1000)
    const headers: Record<string, string> = { 'ratelimit-policy': policy, ratelimit: `"calls";r=${left};t=${reset}` }
    if (refused) headers['retry-after'] = String(Math.max(1, Math.ceil((from + costMs - now - windowMs) / 1000)))
    return { refused, headers }
  }
}

function newBucket(buckets: Map<string, Bucket>, id: string): Bucket {
  if (buckets.size >= mostCallers) buckets.clear()
  const bucket = { emptyAt: 0 }
  buckets.set(id, bucket)
  return bucket
}
