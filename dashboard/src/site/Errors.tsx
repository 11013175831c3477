import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import type { Input, Item } from '../api.ts'
import { messageOf, useCall, useDo, usePages, useWhole } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { LineDialog } from '../ui/LineDialog.tsx'
import { Asked, Empty, Facts, More, SiteSaid, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { amid, plainly } from '../words.ts'
import type { Site } from './nouns.ts'

type Met = Item<'errors.list'>
const tones: Record<Met['level'], Tone> = { fatal: 'bad', warning: 'warn', notice: 'unknown', deprecated: 'unknown' }

export function Errors({ site }: { site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const [status, setStatus] = useState<Met['status']>('open')
  const [level, setLevel] = useState<Met['level'] | null>(null)
  const asked: Input<'errors.list'> = { site_id: site.id, status, limit: 50, ...(level && { level }) }
  const whole = useWhole('errors.list', { site_id: site.id, limit: 1 }, { every: 30_000 })
  const errors = usePages('errors.list', asked, { every: 30_000 })
  const collecting = useDo('errors.collect', ({ error }) =>
    say(error ? t('It could not be asked: {reason}', { reason: error.message }) : t('The site was asked.')),
  )
  return (
    <>
      <Asked of={whole} rows={1}>
        {({ collection, counts }) => (
          <section className="card" style={{ marginBottom: '1rem' }}>
            <p>
              {collection?.collected_at == null ? (
                <>
                  <State tone="unknown">{t('Not known')}</State> {t('The site was never asked, so nobody knows of any errors.')}
                </>
              ) : (
                <T
                  message="Open: {list}. Asked {when}."
                  list={(['fatal', 'warning', 'notice', 'deprecated'] as const)
                    .map((each) => `${counts?.[each] ?? 0} ${amid(plainly(each))}`)
                    .join(', ')}
                  when={<When at={collection.collected_at} />}
                />
              )}
            </p>
            {collection?.capturing === false && (
              <p className="soft">{t('The site does not let errors be seen as they happen; only what is in its log is known.')}</p>
            )}
            {collection?.full && (
              <p className="soft">{t('There was no room on the site for some, so the counts are the least there were.')}</p>
            )}
            {collection?.error && (
              <p className="soft">
                <T
                  message="The last attempt failed {when}: {words}"
                  when={<When at={collection.error.at} />}
                  words={collection.error.message}
                />
              </p>
            )}
            <SiteSaid text={collection?.error?.site_said?.text} />
            {works && (
              <Button
                variant="default"
                size="xs"
                mt="xs"
                loading={collecting.isPending}
                disabled={site.status !== 'connected'}
                onClick={() => collecting.mutate({ site_id: site.id }, { onError: (error) => say(messageOf(error)) })}
              >
                {t('Ask the site now')}
              </Button>
            )}
          </section>
        )}
      </Asked>
      <search className="filters">
        <Select
          label={t('Which')}
          data={[
            { value: 'open', label: t('Open') },
            { value: 'resolved', label: t('Resolved') },
            { value: 'muted', label: t('Ignored') },
          ]}
          value={status}
          onChange={(value) => setStatus((value ?? 'open') as Met['status'])}
        />
        <Select
          label={t('How bad')}
          clearable
          allowDeselect
          placeholder={t('Any')}
          data={Object.keys(tones).map((value) => ({ value, label: plainly(value) }))}
          value={level}
          onChange={(value) => setLevel(value as Met['level'] | null)}
        />
      </search>
      {errors.error && <Trouble error={errors.error} again={() => void errors.refetch()} />}
      {errors.isPending ? (
        <Waiting />
      ) : errors.items.length === 0 ? (
        <Empty title={status === 'open' ? t('No error is open') : t('Nothing here')}>
          {whole.data?.collection?.collected_at == null
            ? t('The site was never asked, so nothing is known.')
            : t('As far as the site has told.')}
        </Empty>
      ) : (
        <ul className="entries">
          {errors.items.map((met) => (
            <Row key={met.id} met={met} />
          ))}
        </ul>
      )}
      <More of={errors}>
        <T message="Show more of {errors, plural, one {# error} other {# errors}}" errors={errors.total} />
      </More>
    </>
  )
}

/** Whose code it is; `core` and `other` are no plugins. */
const whoseCode = ({ component: { type, slug, version } }: Met) =>
  type === 'core'
    ? t('WordPress itself')
    : type === 'other'
      ? t('no plugin or theme')
      : `${amid(plainly(type))} ${slug}${version ? ` ${version}` : ''}`

function Row({ met }: { met: Met }) {
  const works = useMay('write')
  const say = useSay()
  const [open, setOpen] = useState(false)
  const [muting, setMuting] = useState(false)
  const ids = { site_id: met.site_id, error_id: met.id }
  const failed = { onError: (error: unknown) => say(messageOf(error)) }
  const resolving = useDo('errors.resolve', () => say(t('It is resolved. When it comes again, it is told.')))
  const reopening = useDo('errors.reopen', () => say(t('It is open again.')))
  const mute = useDo('errors.mute', () => {
    setMuting(false)
    say(t('It is ignored, with your reason beside it.'))
  })
  return (
    <li className="entry">
      <div>
        <p>
          <State tone={tones[met.level]}>{plainly(met.level)}</State> <b>{whoseCode(met)}</b>
          {met.regressed_at && (
            <>
              {' '}
              <State tone="bad">{t('Came again')}</State>
            </>
          )}
        </p>
        <p className="soft mono">{met.message}</p>
        <p className="soft">
          <T
            message="{file}:{line} · {times, plural, one {# time} other {# times}} at least · first {when}, last {when2}"
            file={met.file}
            line={met.line}
            times={met.count}
            when={<When at={met.first_seen_at} />}
            when2={<When at={met.last_seen_at} />}
          />
        </p>
        {met.after && (
          <p className="soft">
            <T
              message="First seen after: {summary}{item}, {when}"
              summary={met.after.summary ?? plainly(met.after.type)}
              item={met.after.item && ` (${met.after.item.slug} ${met.after.item.from_version} → ${met.after.item.to_version})`}
              when={<When at={met.after.at} />}
            />
          </p>
        )}
        {met.muted && (
          <p className="soft">
            <T message="Ignored by {name}: {reason}" name={met.muted.by.name} reason={met.muted.reason} />
          </p>
        )}
        {met.resolved && (
          <p className="soft">
            <T message="Resolved by {name} {when}" name={met.resolved.by.name} when={<When at={met.resolved.at} />} />
          </p>
        )}
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="soft">{t('The way there')}</summary>
          {open && <Detail ids={ids} />}
        </details>
      </div>
      {works && (
        <div className="acts">
          {met.status === 'open' ? (
            <>
              <Button
                size="xs"
                variant="default"
                loading={resolving.isPending}
                onClick={() => resolving.mutate(ids, failed)}
                aria-label={t('Resolve: {words}', { words: met.message })}
              >
                {t('Resolve')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setMuting(true)} aria-label={t('Ignore: {words}', { words: met.message })}>
                {t('Ignore')}
              </Button>
            </>
          ) : (
            <Button size="xs" variant="default" loading={reopening.isPending} onClick={() => reopening.mutate(ids, failed)}>
              {t('Open it again')}
            </Button>
          )}
        </div>
      )}
      {muting && (
        <LineDialog
          title={t('Ignore this error?')}
          verb={t('Ignore')}
          working={mute.isPending}
          error={mute.error}
          onClose={() => setMuting(false)}
          onLine={(reason) => mute.mutate({ ...ids, reason })}
        />
      )}
    </li>
  )
}

function Detail({ ids }: { ids: Input<'errors.get'> }) {
  const detail = useCall('errors.get', ids)
  return (
    <Asked of={detail} rows={2}>
      {({ frames, lines, file, path, php_version }) => (
        <>
          <Facts
            of={[
              [t('Lines of {file}', { file }), lines.join(', ')],
              [t('Met on the page'), path ?? t('not known')],
              [t('Met by PHP'), php_version ?? t('not known')],
            ]}
          />
          {frames.length === 0 ? (
            <p className="soft">{t('The way there is not known.')}</p>
          ) : (
            <ol className="soft mono">
              {frames.map((frame, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same frame may come twice
                <li key={n}>{frame}</li>
              ))}
            </ol>
          )}
        </>
      )}
    </Asked>
  )
}
