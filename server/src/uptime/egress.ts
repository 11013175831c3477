import { FetchError } from '../platform/fetch-error.ts'
import type { World } from '../world.ts'

/** Asks what the operator named to know whether this machine reaches anybody; null: nothing was named. */
export function egressProbe({ config, watch, stopping }: Pick<World, 'config' | 'watch' | 'stopping'>): (() => Promise<boolean>) | null {
  const { egressProbe: url } = config
  if (url === undefined) return null
  const request = { method: 'GET' as const, url, maxBytes: 1024, cut: true, timeoutMs: 5_000, plain: true, signal: stopping }
  return () =>
    watch(request).then(
      () => true,
      (error: unknown) => {
        if (error instanceof FetchError) return false
        throw error
      },
    )
}
