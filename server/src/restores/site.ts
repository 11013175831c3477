// One site during a restore.

import { call, listFiles } from '../connector/call.ts'
import type { Params, Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { PatientSite } from '../sites/patient-site.ts'
import { connectionOf, type Target } from '../sites/talk.ts'
import type { Here } from '../world.ts'

const budgetMs = 6_000

export class RestoreSite extends PatientSite {
  static async open(here: Here, site: Target, signal: AbortSignal): Promise<RestoreSite> {
    return new RestoreSite(here, await connectionOf(here, site), signal)
  }

  /** The same site, whatever becomes of the job. */
  lasting(): RestoreSite {
    return new RestoreSite(this.here, this.connection, new AbortController().signal)
  }

  /** What must be finished: at the rescue door first, then at the usual one. */
  insist<V extends 'restore.swap' | 'restore.rollback' | 'restore.commit' | 'restore.status'>(
    verb: V,
    params: Params<V>,
  ): Promise<Result<V>> {
    const isUsual = verb === 'restore.commit' || verb === 'restore.status'
    return this.insistAt(isUsual ? [this.usual] : ['rescue', this.usual], verb, params)
  }

  /** Where the restore is, at whatever door answers. */
  async status(): Promise<Result<'restore.status'>> {
    try {
      return await this.insist('restore.status', {})
    } catch (error) {
      if (!(error instanceof SiteError)) throw error
      return (await call(this.here.wire, this.connection, 'restore.status', {}, { door: 'rescue', retries: 0 })).result
    }
  }

  async *list(root: 'abspath' | 'content' | 'config'): AsyncGenerator<Result<'files.list'>['entries'][number], void, undefined> {
    let after: Result<'files.list'>['after'] = null
    for (;;) {
      this.signal.throwIfAborted()
      const { result }: { result: Result<'files.list'> } = await listFiles(this.here.wire, this.connection, {
        root,
        after,
        max_items: 5_000,
        budget_ms: budgetMs,
      })
      yield* result.entries
      if (result.done) return
      after = result.after
    }
  }
}
