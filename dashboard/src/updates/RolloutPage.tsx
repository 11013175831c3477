import { Button, Progress } from '@mantine/core'
import { Link } from 'wouter'
import type { Output } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { Asked, Page, State, type Tone, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { count, hostOf, plainly } from '../words.ts'
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
  const canceling = useDo('rollouts.cancel', () => say('No further site is begun; those at work are finished.'))
  return (
    <Page
      title={rollout.data ? `${plainly(rollout.data.kind)} of ${count(rollout.data.progress.total, 'site')}` : 'Rollout'}
      above={<Link href="/updates">Updates</Link>}
      actions={
        works &&
        rollout.data &&
        goes(rollout.data) && (
          <Button
            variant="default"
            loading={canceling.isPending}
            onClick={() => canceling.mutate({ rollout_id: id }, { onError: (error) => say(messageOf(error)) })}
          >
            Stop it
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
        <RolloutState status={rollout.status} /> wave {rollout.wave} of {rollout.waves}, asked by {rollout.requested_by.name}{' '}
        <When at={rollout.created_at} />
        {rollout.asks_wave !== null && (
          <p>
            Wave {rollout.asks_wave} waits for approval.{' '}
            {rollout.waits_for && <Link href={`/approvals/${rollout.waits_for}`}>Look at it and decide</Link>}
          </p>
        )}
        <Progress value={progress.percent} mt="sm" aria-label={`${progress.done} of ${progress.total} sites`} />
        <p className="soft">
          {Object.entries(counts)
            .filter(([, number]) => number > 0)
            .map(([name, number]) => `${number} ${name.replaceAll('_', ' ')}`)
            .join(' · ')}
        </p>
        {rollout.reason && <p>{rollout.reason}</p>}
      </section>
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">Site</th>
            <th scope="col">Wave</th>
            <th scope="col">State</th>
            <th scope="col">What</th>
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
              <td data-label="Wave">{site.wave ?? '–'}</td>
              <td>
                <State tone={tones[site.status] ?? 'unknown'}>{plainly(site.status)}</State>
                {site.reason && <div className="soft">{site.reason}</div>}
              </td>
              <td>
                <small>
                  {site.items
                    ?.map((item) => `${item.slug} ${item.from_version ?? ''} → ${item.to_version ?? ''} ${item.status}`)
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
