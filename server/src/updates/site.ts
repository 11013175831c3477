import type { Params, Result } from '../connector/commands.ts'
import { SiteClient } from '../sites/client.ts'

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

  /** After the rescue door the usual one: what is left to mend needs WordPress, and what cannot be mended now the site mends later. */
  async mend(params: Params<'updates.rollback'>): Promise<void> {
    await this.insist('updates.rollback', params, 'usual')
  }
}
