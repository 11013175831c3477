// Work that comes again and again for as long as the process lives.
import type { Log } from '../kernel/context.ts'

export interface Repeated {
  /** Now, or the pass that is at work already. Never rejects. */
  pass(): Promise<void>
  /** No further pass; resolves when the one at work has ended. */
  close(): Promise<void>
}

/** Runs `work` every `everyMs` in one process, never twice at once. What fails is logged under `trouble` and tried again the next time. */
export function repeat(log: Log, { everyMs, trouble }: { everyMs: number; trouble: string }, work: () => Promise<unknown>): Repeated {
  let passing: Promise<void> | undefined
  const run = async () => {
    await work().catch((error: unknown) => log.warn({ err: error }, trouble))
    passing = undefined
  }
  const pass = () => {
    passing ??= run()
    return passing
  }
  const timer = setInterval(pass, everyMs)
  return {
    pass,
    async close() {
      clearInterval(timer)
      await passing
    },
  }
}
