// The effective state of every tweak: what the connector sees inside, and what a visitor sees.
import { call } from '../connector/call.ts'
import { siteSaid } from '../connector/clean.ts'
import type { Result } from '../connector/commands.ts'
import type { TweakSeen } from '../connector/tweak-commands.ts'
import { Problem } from '../kernel/problem.ts'
import type { Why } from '../kernel/site-said.ts'
import { findSecrets } from '../sites/store.ts'
import { pagesOf, type Talker, type Target, talk } from '../sites/talk.ts'
import { bare, fresh, type Visit, visit, visitorOf } from '../sites/visit.ts'
import type { World } from '../world.ts'
import { type Attacker, type AttackResult, attacks } from './attacks.ts'
import type { TweakId, TweakState } from './schema.ts'
import { findVersion, type SeenTweak } from './store.ts'
import { type Known, table } from './table.ts'

/** A tweak as it is now, and whether it is ours. */
export interface Sight extends SeenTweak {
  on: boolean
  /** Why it could not be switched on; null when it can. */
  obstacle: Why | null
}
export interface Sights {
  all: Map<TweakId, Sight>
  attacker: Attacker
  listed: Result<'tweaks.list'>
}

type Here = Talker & Pick<World, 'wire'>

/** Asks the site and looks at it; `prove`: the site also tries what can be tried only there. */
export async function see(here: Here, site: Target, { prove = false, only }: { prove?: boolean; only?: TweakId } = {}): Promise<Sights> {
  const { result: listed } = await talk(here, site, (deps, connection, options) =>
    call(deps, connection, { verb: 'tweaks.list', params: { prove } }, { ...options, timeoutMs: 20_000 }),
  )
  const attacker = await attackerOf(here, site, listed.uploads)
  const byId = new Map(listed.items.map((item) => [item.id, item]))
  const wanted = table.filter(({ id }) => only === undefined || id === only)
  const seen = await Promise.all(
    wanted.map(async (tweak) => {
      const inside = byId.get(tweak.id)
      const outside = await attacks[tweak.id]?.(attacker)
      return [tweak.id, judged(tweak, inside, outside)] as const
    }),
  )
  return { all: new Map(seen), attacker, listed }
}

export function sightOf({ all }: Sights, id: TweakId): Sight {
  const sight = all.get(id)
  if (!sight) throw new Error(`Nobody looked at ${id}.`)
  return sight
}

/** What a visitor meets decides; where no visitor can tell, what the connector says. */
function judged(tweak: Known, inside: TweakSeen | undefined, outside: AttackResult | undefined): Sight {
  const base = { tweak_id: tweak.id, already_by: null, evidence: outside?.evidence ?? [] }
  if (!inside) {
    const message = 'The connector on this site is too old for this tweak; update it.'
    return { ...base, on: false, obstacle: { message }, state: 'not_applicable', reason: message, site_said: null, verified: false }
  }
  const { on } = inside
  const obstacle = inside.obstacle === '' ? null : refusal(inside.obstacle)
  const holds = effective(inside, outside)
  const verified = holds === true && (outside?.works === false || !tweak.outside)
  const is = (state: TweakState, why: Why | null = null, already_by: string | null = null): Sight => ({
    ...base,
    ...{ on, obstacle, state, reason: why?.message ?? null, site_said: why?.siteSaid ?? null, already_by, verified },
  })
  if (on) return holds === false ? is('drifted', { message: whyDrifted(inside, outside) }) : is('applied')
  if (holds === true && !tweak.partial) return is('applied', null, inside.by || 'something else on this site or its server')
  return obstacle === null ? is('not_applied') : is('not_applicable', obstacle)
}

/** Of a tweak that is not ours; beside it stands who the site says sees to it. */
export const elsewhere = 'Already so: something else on this site sees to it.'

/** Of a site that says it will not switch a tweak on or off. */
export const refusal = (words: string): Why => ({
  message: 'The site refuses it; what it said tells what stands in the way.',
  siteSaid: siteSaid(words),
})

function effective({ holds, on }: TweakSeen, outside: AttackResult | undefined): boolean | null {
  if (outside && outside.works !== null) return !outside.works && !(on && holds === false)
  return holds
}

const whyDrifted = ({ holds }: TweakSeen, outside: AttackResult | undefined) =>
  outside?.works
    ? `It was switched on here, but does not work any more: ${outside.evidence.join(' ')}`
    : `It was switched on here, but ${holds === false ? 'something on this site has undone it' : 'does not work any more'}.`

async function attackerOf(here: Here, site: Target, uploads: string): Promise<Attacker> {
  const [secrets, version] = await Promise.all([findSecrets(here, site.id), findVersion(here, site.id)])
  if (!secrets) throw new Problem('not_found', 'The site was removed.')
  const path = /^\/(?:[\w.~%-]+\/)*$/.test(uploads) ? uploads : '/wp-content/uploads/'
  const pages = await pagesOf(here, { ...site, home: secrets.home })
  const place = { home: bare(secrets.home), url: bare(site.url), uploads: path, version }
  // What is sent is seen by the site alone; what is asked for, no cache may know.
  const send = (address: string, how: Visit) => visit(pages, address, { ...(how.body === undefined && { query: fresh() }), ...how })
  return { ...place, ...visitorOf(place, send) }
}
