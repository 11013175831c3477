import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { Link } from 'wouter'
import { Failure, type Output } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { Asked, Trouble } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { inFull } from '../words.ts'

/** When failures of one site are meant: announced, and ended. */
export function Maintenance({ siteId }: { siteId: string }) {
  const watched = useCall('uptime.get', { site_id: siteId }, { every: 15_000 })
  return <Asked of={watched}>{({ windows }) => <Windows of={windows} siteId={siteId} />}</Asked>
}

/** The same of all sites at once; what is announced of single ones is told beside it. */
export function FleetMaintenance() {
  const watched = useCall('uptime.get_default', {}, { every: 15_000 })
  return <Asked of={watched}>{({ windows }) => <Windows of={windows} />}</Asked>
}

function Windows({ of: windows, siteId }: { of: Output<'uptime.get'>['windows']; siteId?: string }) {
  const names = useSiteNames(windows.some(({ site_id }) => site_id !== null && site_id !== siteId))
  const say = useSay()
  const ending = useDo('uptime.end_maintenance', () => say(t('It is ended. Failures count again.')))
  return (
    <>
      {windows.length === 0 ? (
        <p className="soft">{t('None is announced. What fails during one is no incident, and counts in no ratio.')}</p>
      ) : (
        <ul className="entries">
          {windows.map(({ id, site_id, starts_at, ends_at, reason, requested_by }) => (
            <li className="entry" key={id}>
              <div>
                <p>
                  <b>{reason}</b>
                </p>
                <p className="soft">
                  <T
                    message="From {from} until {until}, announced by {name}"
                    from={inFull(starts_at)}
                    until={inFull(ends_at)}
                    name={requested_by.name}
                  />
                  {site_id === null && ` · ${t('of all sites')}`}
                  {site_id !== null && site_id !== siteId && (
                    <>
                      {' · '}
                      <Link href={`/sites/${site_id}/uptime`}>{names(site_id)}</Link>
                    </>
                  )}
                </p>
              </div>
              <Button
                size="xs"
                variant="default"
                aria-label={t('End it: {reason}', { reason })}
                onClick={() => ending.mutate({ window_id: id }, { onError: (error) => say(messageOf(error)) })}
              >
                {t('End it')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Announce siteId={siteId} />
    </>
  )
}

/** In the time of whoever announces it. */
function Announce({ siteId }: { siteId: string | undefined }) {
  const say = useSay()
  const done = () => say(t('It is announced.'))
  const [one, all] = [useDo('uptime.maintain', done), useDo('uptime.maintain_all', done)]
  const announcing = siteId ? one : all
  const wrong = announcing.error instanceof Failure ? announcing.error.fields : {}
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const given = new FormData(form)
    const text = (name: string) => String(given.get(name) ?? '').trim()
    const moment = (name: string) => new Date(text(name)).toISOString()
    const window = { reason: text('reason'), ends_at: moment('ends_at'), ...(text('starts_at') && { starts_at: moment('starts_at') }) }
    const then = { onSuccess: () => form.reset() }
    if (siteId) one.mutate({ site_id: siteId, ...window }, then)
    else all.mutate(window, then)
  }
  return (
    <form onSubmit={send}>
      <Group align="end" mt="md" gap="sm" className="fields">
        <TextInput label={t('Why')} description={t('Colleagues read it.')} name="reason" required maxLength={200} error={wrong.reason} />
        <TextInput
          label={t('From')}
          description={t('Now, if left empty.')}
          name="starts_at"
          type="datetime-local"
          error={wrong.starts_at}
        />
        <TextInput
          label={t('Until')}
          description={t('At most 30 days later.')}
          name="ends_at"
          type="datetime-local"
          required
          error={wrong.ends_at}
        />
        <Button type="submit" variant="default" loading={announcing.isPending}>
          {t('Announce it')}
        </Button>
      </Group>
      {announcing.error && Object.keys(wrong).length === 0 && <Trouble error={announcing.error} />}
    </form>
  )
}
