// What comes of a tweak that is asked for, by how it is now.
import { siteSaid } from '../connector/clean.ts'
import type { Fix, Planned, Tweak, TweakId } from './schema.ts'
import { elsewhere } from './see.ts'
import { known } from './table.ts'

type Now = Pick<Tweak, 'state' | 'reason' | 'site_said' | 'already_by'>
type What = Pick<Planned, 'will' | 'reason' | 'site_said'>

/** `now` undefined: nobody has looked, so it may have to be done. */
export function whatOf(id: TweakId, { action, again }: Pick<Fix, 'action' | 'again'>, now: Now | undefined): What {
  const nothing = (reason: string, site_said: What['site_said'] = null): What => ({ will: 'nothing', reason, site_said })
  if (action === 'revert') {
    if (!known(id).reversible) return nothing('It cannot be taken back.')
    const ours = now === undefined || now.state === 'drifted' || (now.state === 'applied' && now.already_by === null)
    return ours ? { will: 'revert', reason: null, site_said: null } : nothing('It is not switched on from here.')
  }
  if (now?.state === 'not_applicable') return nothing(now.reason ?? 'It cannot be applied here.', now.site_said)
  if (now?.state === 'applied' && !again)
    return now.already_by === null ? nothing('It is applied.') : nothing(elsewhere, siteSaid(now.already_by))
  return { will: 'apply', reason: now?.state === 'drifted' ? now.reason : null, site_said: null }
}

/** What of a plan an approval is given for: what is done about each tweak on each site. */
export const boundFix = (plan: readonly Pick<Planned, 'site_id' | 'tweak_id' | 'will'>[]) =>
  plan.map(({ site_id, tweak_id, will }) => ({ site_id, tweak_id, will }))
