import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Output } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Asked, SiteSaid, State, type Tone, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { amid, plainly } from '../words.ts'
import { Going } from './Going.tsx'
import type { Site } from './nouns.ts'

type Tweak = Output<'tweaks.list'>['tweaks'][number]

const tones: Record<string, Tone> = { applied: 'good', not_applied: 'unknown', drifted: 'warn', not_applicable: 'unknown' }

/** Protections that are switched on and off, each proven from outside. */
export function Tweaks({ site }: { site: Site }) {
  const tweaks = useCall('tweaks.list', { site_id: site.id, cached: true }, { every: 60_000 })
  return (
    <section className="card wide">
      <h2>{t('Site Tweaks')}</h2>
      <Going siteId={site.id} type="tweak" />
      <Asked of={tweaks} rows={2}>
        {({ tweaks: all, checked_at, live_error, site_said }) => (
          <details>
            <summary>
              {checked_at ? (
                <T
                  message="{applied} of {all} in effect, as of {when}"
                  applied={all.filter(({ state }) => state === 'applied').length}
                  all={all.length}
                  when={<When at={checked_at} />}
                />
              ) : (
                t('{all} protections; nobody has looked yet which are in effect', { all: all.length })
              )}
            </summary>
            {live_error && <p className="soft">{live_error}</p>}
            <SiteSaid text={site_said?.text} />
            <ul className="entries">
              {all.map((tweak) => (
                <Row key={tweak.id} tweak={tweak} site={site} />
              ))}
            </ul>
          </details>
        )}
      </Asked>
    </section>
  )
}

function Row({ tweak, site }: { tweak: Tweak; site: Site }) {
  const works = useMay('write') && site.status === 'connected'
  const [asking, setAsking] = useState(false)
  const applied = tweak.state === 'applied'
  return (
    <li className="entry">
      <div>
        <b>{tweak.name}</b>{' '}
        <State tone={tones[tweak.state ?? ''] ?? 'unknown'} why={tweak.reason ?? undefined}>
          {tweak.state === null ? t('Not known') : plainly(tweak.state)}
        </State>
        <p className="soft">
          {tweak.description} <T message="Risk: {risk}." risk={amid(plainly(tweak.risk))} />
        </p>
      </div>
      {works && tweak.state !== 'not_applicable' && (!applied || tweak.reversible) && (
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsking(true)}
          aria-label={`${applied ? t('Take back') : t('Apply')}: ${tweak.name}`}
        >
          {applied ? t('Take back') : t('Apply')}
        </Button>
      )}
      {asking && <TweakDialog tweak={tweak} site={site} onClose={() => setAsking(false)} />}
    </li>
  )
}

/** Says what a tweak does, and then applies it, or takes it back where it is in effect. */
export function TweakDialog({ tweak, site, onClose }: { tweak: Tweak; site: Site; onClose: () => void }) {
  const say = useSay()
  const applied = tweak.state === 'applied'
  const changing = useDo('tweaks.apply', () => {
    onClose()
    say(t('It has begun; the site is looked at before and after.'))
  })
  return (
    <Confirm
      title={applied ? t('Take back “{name}”?', { name: tweak.name }) : t('Apply “{name}”?', { name: tweak.name })}
      verb={applied ? t('Take back') : t('Apply')}
      working={changing.isPending}
      error={changing.error && messageOf(changing.error)}
      onClose={onClose}
      onConfirm={() => changing.mutate({ site_id: site.id, tweak_ids: [tweak.id], action: applied ? 'revert' : 'apply' })}
    >
      <p>{tweak.description}</p>
      {tweak.side_effects.map((effect) => (
        <p className="soft" key={effect}>
          {effect}
        </p>
      ))}
    </Confirm>
  )
}
