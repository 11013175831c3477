// One site during an update.

import type { Params, Result } from '../connector/commands.ts'
import type { Door } from '../connector/doors.ts'
import { PatientSite } from '../sites/patient-site.ts'
import { connectionOf, type Target } from '../sites/talk.ts'
import type { Here } from '../world.ts'

type Finishing = 'updates.status' | 'updates.rollback' | 'updates.release'

export class UpdateSite extends PatientSite {
  static async open(here: Here, site: Target, signal: AbortSignal): Promise<UpdateSite> {
    return new UpdateSite(here, await connectionOf(here, site), signal)
  }

  /** What must be finished, at whatever door answers: a site that is broken answers at the rescue door only. */
  insist<V extends Finishing>(verb: V, params: Params<V>): Promise<Result<V>> {
    const alone: Door[] = this.connection.alone ? ['alone'] : []
    if (verb === 'updates.release') return this.insistAt([this.usual], verb, params)
    return this.insistAt(verb === 'updates.status' ? [this.usual, 'rescue', ...alone] : ['rescue', this.usual, ...alone], verb, params)
  }

  /** Where the update is, once no request is at work on it any more. */
  async settled(pause: () => Promise<void>): Promise<Result<'updates.status'>> {
    for (;;) {
      const status = await this.insist('updates.status', {})
      if (!status.busy) return status
      this.signal.throwIfAborted()
      await pause()
    }
  }

  /** After the rescue door the usual one: what is left to mend needs WordPress, and what cannot be mended now the site mends later. */
  async mend(params: Params<'updates.rollback'>): Promise<void> {
    await this.insistAt([this.usual], 'updates.rollback', params)
  }
}
