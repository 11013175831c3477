import { Button, Progress } from '@mantine/core'
import { Link } from 'wouter'
import type { Output } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Asked, Page, State, type Tone, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { amid, hostOf, plainly } from '../words.ts'
import { RolloutState } from './UpdatesPage.tsx'

type Rollout = Output<'rollouts.get'>

const goes = ({ status }: Rollout) => status === 'running' || status === 'stopping'

const tones: Record<string, Tone> = {
  failed: 'bad',
  rolled_back: 'warn',
  partly: 'warn',
  updated: 'good',
  done: 'good',
  already_current: 'good',
}

export function RolloutPage({ rollout: id }: { rollout: string }) {
  const rollout = useCall('rollouts.get', { rollout_id: id }, { every: (known) => (known && !goes(known) ? false : 2000) })
  const say = useSay()
  const works = useMay('write')
  const canceling = useDo('rollouts.cancel', () => say(t('No further site is begun; those at work are finished.')))
  return (
    <Page
      title={
        rollout.data
          ? t('{kind} of {sites, plural, one {# site} other {# sites}}', {
              kind: plainly(rollout.data.kind),
              sites: rollout.data.progress.total,
            })
          : t('Rollout')
      }
      above={<Link href="/updates">{t('Updates')}</Link>}
      actions={
        works &&
        rollout.data &&
        goes(rollout.data) && (
          <Button
            variant="default"
            loading={canceling.isPending}
            onClick={() => canceling.mutate({ rollout_id: id }, { onError: (error) => say(messageOf(error)) })}
          >
            {t('Stop it')}
          </Button>
        )
      }
    >
      <Asked of={rollout}>{(known) => <Told rollout={known} />}</Asked>
    </Page>
  )
}

function Told({ rollout }: { rollout: Rollout }) {
  const { progress, counts } = rollout
  return (
    <>
      <section className="card" style={{ marginBottom: '1rem' }}>
        <RolloutState status={rollout.status} />{' '}
        <T
          message="wave {wave} of {waves}, asked by {name} {when}"
          wave={rollout.wave}
          waves={rollout.waves}
          name={rollout.requested_by.name}
          when={<When at={rollout.created_at} />}
        />
        {rollout.asks_wave !== null && (
          <p>
            <T message="Wave {asks_wave} waits for approval." asks_wave={rollout.asks_wave} />{' '}
            {rollout.waits_for && <Link href={`/approvals/${rollout.waits_for}`}>{t('Look at it and decide')}</Link>}
          </p>
        )}
        <Progress
          value={progress.percent}
          mt="sm"
          aria-label={t('{done} of {total} sites', { done: progress.done, total: progress.total })}
        />
        <p className="soft">
          {Object.entries(counts)
            .filter(([, number]) => number > 0)
            .map(([name, number]) => `${number} ${amid(plainly(name))}`)
            .join(' · ')}
        </p>
        {rollout.reason && <p>{rollout.reason}</p>}
      </section>
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">{t('Site')}</th>
            <th scope="col">{t('Wave')}</th>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('What')}</th>
          </tr>
        </thead>
        <tbody>
          {rollout.sites.map((site) => (
            <tr key={site.site_id}>
              <td>
                <Link href={site.job_id ? `/jobs/${site.job_id}` : `/sites/${site.site_id}`} className="name">
                  {site.name || hostOf(site.url)}
                </Link>
              </td>
              <td data-label={t('Wave')}>{site.wave ?? '–'}</td>
              <td>
                <State tone={tones[site.status] ?? 'unknown'}>{plainly(site.status)}</State>
                {site.reason && <div className="soft">{site.reason}</div>}
              </td>
              <td>
                <small>
                  {site.items
                    ?.map((item) => `${item.slug} ${item.from_version ?? ''} → ${item.to_version ?? ''} ${amid(plainly(item.status))}`)
                    .join('; ')}
                </small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
