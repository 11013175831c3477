import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Input, Item } from '../api.ts'
import { usePages, useWhole } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Empty, More, Page, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { plainly } from '../words.ts'
import { FleetUpdateDialog } from './FleetUpdateDialog.tsx'

type Found = Item<'inventory.things'>

/** What is typed is looked for when somebody pauses. */
const pauseMs = 200

/** What has an update, on how many sites, and everything that was rolled out to many. */
export function UpdatesPage() {
  const [waiting, setWaiting] = useState('waiting')
  const [words, setWords] = useState('')
  const [paused] = useDebouncedValue(words.trim(), pauseMs)
  const which = waiting === 'waiting' ? { has_update: true } : {}
  return (
    <Page
      title={t('Updates')}
      about={t('What is installed on all sites together. An update of many sites goes in waves, and stops when too many fail.')}
      actions={
        <Button variant="default" component={Link} href="/updates/rules">
          {t('Rules and windows')}
        </Button>
      }
    >
      <div className="toolbar">
        <SegmentedControl
          value={waiting}
          onChange={setWaiting}
          data={[
            { value: 'waiting', label: t('With updates') },
            { value: 'all', label: t('Everything installed') },
          ]}
          aria-label={t('What is shown')}
        />
        <TextInput
          type="search"
          placeholder={t('Name of a plugin or theme')}
          aria-label={t('Search plugins and themes')}
          className="wanted"
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      <Things which={which} words={paused} />
      <h2>{t('Rollouts')}</h2>
      <Rollouts />
    </Page>
  )
}

function Things({ which, words }: { which: { has_update?: boolean }; words: string }) {
  const works = useMay('write')
  const [updating, setUpdating] = useState<Found>()
  const whole = useWhole('inventory.things', { ...which, limit: 1 }, { every: 30_000 })
  const things = usePages('inventory.things', { ...which, ...(words && { q: words }), limit: 50 }, { every: 30_000 })
  const unknown = whole.data?.unknown ?? 0
  if (things.error && !things.data) return <Trouble error={things.error} again={() => void things.refetch()} />
  if (things.isPending) return <Waiting />
  if (things.items.length === 0)
    return (
      <Empty title={words ? t('Nothing is called that') : t('Nothing waits')}>
        {unknown > 0
          ? t('{sites, plural, one {# site} other {# sites}} were never read or never asked for updates, so nothing is known of them.', {
              sites: unknown,
            })
          : t('As far as every site’s inventory tells.')}
      </Empty>
    )
  return (
    <>
      {unknown > 0 && (
        <p className="soft">
          <T
            message="{sites, plural, one {# site} other {# sites}} were never read or never asked for updates; nothing is known of them."
            sites={unknown}
          />
        </p>
      )}
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('Kind')}</th>
            <th scope="col">{t('Sites')}</th>
            <th scope="col">{t('Versions')}</th>
            <th scope="col">
              <span className="sr">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {things.items.map((each) => (
            <tr key={`${each.type} ${each.slug}`}>
              <td>
                <Link href={`/updates/${each.type}/${encodeURIComponent(each.slug)}`} className="name">
                  {each.name || each.slug}
                </Link>
              </td>
              <td className="kind">{plainly(each.type)}</td>
              <td data-label={t('Sites')}>
                {each.sites}
                {each.with_update > 0 && (
                  <State tone="warn">
                    <T message="{with_update} with an update" with_update={each.with_update} />
                  </State>
                )}
              </td>
              <td data-label={t('Versions')}>
                <small>
                  {Object.entries(each.versions)
                    .slice(0, 6)
                    .map(([version, sites]) => `${version} (${sites})`)
                    .join(', ')}
                </small>
              </td>
              <td className="act">
                {works && each.with_update > 0 && ['core', 'plugin', 'theme'].includes(each.type) && (
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => setUpdating(each)}
                    aria-label={t('Update {name} on {sites, plural, one {# site} other {# sites}}', {
                      name: each.name || each.slug,
                      sites: each.with_update,
                    })}
                  >
                    {t('Update')}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More of={things}>
        <T message="Show more of {total}" total={things.total} />
      </More>
      {updating && (
        <FleetUpdateDialog
          title={t('Update {name} everywhere?', { name: updating.name || updating.slug })}
          input={{ every_site: true, ...onlyIt(updating) }}
          onClose={() => setUpdating(undefined)}
        />
      )}
    </>
  )
}

/** What of an update names this thing alone. */
export const onlyIt = ({ type, slug }: Pick<Found, 'type' | 'slug'>): Pick<Input<'rollouts.start'>, 'plugins' | 'themes' | 'core'> =>
  type === 'plugin' ? { plugins: [slug] } : type === 'theme' ? { themes: [slug] } : { core: true }

type Rollout = Item<'rollouts.list'>
const tones: Record<Rollout['status'], Tone> = {
  running: 'unknown',
  stopping: 'warn',
  completed: 'good',
  stopped: 'bad',
  canceled: 'unknown',
}
export const RolloutState = ({ status }: Pick<Rollout, 'status'>) => <State tone={tones[status]}>{plainly(status)}</State>

function Rollouts() {
  const rollouts = usePages('rollouts.list', { limit: 20 }, { every: 5000 })
  if (rollouts.error && !rollouts.data) return <Trouble error={rollouts.error} again={() => void rollouts.refetch()} />
  if (rollouts.isPending) return <Waiting />
  if (rollouts.items.length === 0) return <p className="soft">{t('None yet.')}</p>
  return (
    <>
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">{t('Rollout')}</th>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Sites')}</th>
            <th scope="col">{t('Asked by')}</th>
            <th scope="col">{t('Begun')}</th>
          </tr>
        </thead>
        <tbody>
          {rollouts.items.map((each) => (
            <tr key={each.id}>
              <td>
                <Link href={`/rollouts/${each.id}`} className="name">
                  <T
                    message="{kind} of {sites, plural, one {# site} other {# sites}}"
                    kind={plainly(each.kind)}
                    sites={each.progress.total}
                  />
                </Link>
              </td>
              <td>
                <RolloutState status={each.status} />
              </td>
              <td data-label={t('Sites')}>
                <T message="{done} of {total}" done={each.progress.done} total={each.progress.total} />
              </td>
              <td data-label={t('Asked by')}>{each.requested_by.name}</td>
              <td>
                <When at={each.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More of={rollouts}>
        <T message="Show more of {rollouts, plural, one {# rollout} other {# rollouts}}" rollouts={rollouts.total} />
      </More>
    </>
  )
}
