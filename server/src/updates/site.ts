import type { Params, Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { SiteClient } from '../sites/client.ts'

/** What can wait for another time is asked for so long. */
export const briefMs = 5_000

/** The site did not do it; which says nothing of an attempt that was taken over. */
export const canWait = (error: unknown): boolean => error instanceof SiteError && error.reason !== 'error:fence'

/** One site during an update. */
export class UpdateSite extends SiteClient {
  /** Where the update is, once no request is at work on it any more. */
  async settled(pause: () => Promise<void>): Promise<Result<'updates.status'>> {
    for (;;) {
      const status = await this.insist('updates.status', {})
      if (!status.busy) return status
      await pause()
    }
  }

  /**
   * After the rescue door the usual one: what is left to mend needs WordPress. Where that one is shut, a request that had begun before may have
   * written once more what the rescue door had put back. Where WordPress does not start even so, whoever judges sees that. What it still lacks
   * beside the files, as far as it said; undefined: nobody answered. `again`: the rescue door could put all of it back.
   */
  async mend(params: Params<'updates.rollback'>, again: boolean): Promise<{ unmended: string } | undefined> {
    let answer: { unmended: string } | undefined
    for (const way of again ? (['usual', 'rescue first', 'usual'] as const) : (['usual'] as const)) {
      try {
        answer = await this.insist('updates.rollback', params, { way, patienceMs: briefMs })
        if (way === 'usual') return answer
      } catch (error) {
        if (!canWait(error)) throw error
      }
    }
    return answer
  }
}
