import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import type { Item, Output } from '../api.ts'
import { messageOf, useCall, useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { LineDialog } from '../ui/LineDialog.tsx'
import { Asked, Empty, More, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { plainly, webAddress } from '../words.ts'
import { FindingFix } from './FindingFix.tsx'
import { Going } from './Going.tsx'
import type { Site } from './nouns.ts'
import { Tweaks } from './Tweaks.tsx'

export type Finding = Item<'security.list'>

const tones: Record<Finding['severity'], Tone> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'warn',
  info: 'unknown',
  unknown: 'unknown',
}

/** What each look is at. */
const sources: Record<Output<'security.score'>['looks'][number]['source'], string> = {
  facts: t('how WordPress is set up'),
  inventory: t('what is installed'),
  integrity: t('changed files'),
  outside: t('what strangers can see'),
  feed: t('known vulnerabilities'),
}

export function Security({ site }: { site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const [status, setStatus] = useState<'open' | 'ignored' | 'fixed'>('open')
  const score = useCall('security.score', { site_id: site.id }, { every: 15_000 })
  const findings = usePages('security.list', { site_id: site.id, status, limit: 50 }, { every: 15_000 })
  const checking = useDo('security.check', () => say(t('The check has begun.')))
  return (
    <>
      <Going siteId={site.id} type="security_check" />
      <div className="cards" style={{ marginBottom: '1rem' }}>
        <section className="card">
          <h2>{t('Score')}</h2>
          <Asked of={score} rows={1}>
            {({ score: number, looks }) => (
              <>
                <span className="score">{number ?? '–'}</span>{' '}
                <span className="soft">{number === null ? t('not known yet') : t('of 100')}</span>
                <p className="soft">
                  <T
                    message="Looked at: {looks}"
                    looks={looks
                      .map(({ source, checked_at }) => (checked_at ? sources[source] : t('{source} (never)', { source: sources[source] })))
                      .join(', ')}
                  />
                </p>
              </>
            )}
          </Asked>
          {works && (
            <Button
              variant="default"
              size="xs"
              mt="xs"
              loading={checking.isPending}
              onClick={() => checking.mutate({ site_id: site.id }, { onError: (error) => say(messageOf(error)) })}
            >
              {t('Check now')}
            </Button>
          )}
        </section>
        <Tweaks site={site} />
      </div>
      <SegmentedControl
        value={status}
        onChange={(value) => setStatus(value as typeof status)}
        data={[
          { value: 'open', label: t('Open') },
          { value: 'ignored', label: t('Ignored') },
          { value: 'fixed', label: t('Fixed') },
        ]}
        aria-label={t('Which findings')}
        mb="sm"
      />
      {findings.error && <Trouble error={findings.error} again={() => void findings.refetch()} />}
      {findings.isPending ? (
        <Waiting />
      ) : findings.items.length === 0 ? (
        <Empty title={status === 'open' ? t('Nothing is open') : t('Nothing here')}>
          {site.security
            ? t('As far as was looked. What was looked at, and when, stands beside the score.')
            : t('Its security was never checked, so nothing is known.')}
        </Empty>
      ) : (
        <ul className="entries">
          {findings.items.map((finding) => (
            <Row key={finding.id} finding={finding} site={site} />
          ))}
        </ul>
      )}
      <More of={findings}>
        <T message="Show more of {findings, plural, one {# finding} other {# findings}}" findings={findings.total} />
      </More>
    </>
  )
}

function Row({ finding, site }: { finding: Finding; site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const [asking, setAsking] = useState(false)
  const ignoring = useDo('security.ignore', () => {
    say(t('It is ignored, with your reason beside it.'))
    setAsking(false)
  })
  const again = useDo('security.unignore', () => say(t('It counts again.')))
  const { severity, title, description, component, fixed_in, cve, references, evidence, ignored } = finding
  const links = references.flatMap((each) => webAddress(each) ?? []).slice(0, 3)
  return (
    <li className="entry">
      <div>
        <State tone={tones[severity]}>{plainly(severity)}</State> <b>{title}</b>
        <p className="soft">{description}</p>
        <p className="soft">
          {[component && `${component.name} ${component.version ?? ''}`.trim(), fixed_in && t('fixed in {fixed_in}', { fixed_in }), cve]
            .filter(Boolean)
            .map((each) => `${each} · `)
            .join('')}
          <T message="seen since {when}" when={<When at={finding.first_seen_at} />} />
        </p>
        {evidence && evidence.length > 0 && (
          <details>
            <summary className="soft">{t('What was seen')}</summary>
            <ul>
              {evidence.map((each) => (
                <li className="soft" key={each}>
                  {each}
                </li>
              ))}
            </ul>
          </details>
        )}
        {ignored && (
          <p className="soft">
            <T message="Ignored by {name}: {reason}" name={ignored.by.name} reason={ignored.reason} />
          </p>
        )}
        {links.map((link) => (
          <Text size="sm" key={link}>
            <a href={link} target="_blank" rel="noreferrer">
              {new URL(link).host}
            </a>
          </Text>
        ))}
      </div>
      {works && finding.status === 'open' && (
        <Group gap="xs" wrap="nowrap">
          {site.status === 'connected' && <FindingFix finding={finding} site={site} />}
          <Button size="xs" variant="default" onClick={() => setAsking(true)} aria-label={t('Ignore: {title}', { title })}>
            {t('Ignore')}
          </Button>
        </Group>
      )}
      {works && finding.status === 'ignored' && (
        <Button
          size="xs"
          variant="default"
          onClick={() => again.mutate({ site_id: site.id, finding_id: finding.id }, { onError: (error) => say(messageOf(error)) })}
        >
          {t('Count it again')}
        </Button>
      )}
      {asking && (
        <LineDialog
          title={t('Ignore “{title}”?', { title })}
          verb={t('Ignore')}
          working={ignoring.isPending}
          error={ignoring.error}
          onClose={() => setAsking(false)}
          onLine={(reason) => ignoring.mutate({ site_id: site.id, finding_id: finding.id, reason })}
        />
      )}
    </li>
  )
}
