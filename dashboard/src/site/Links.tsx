import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import type { Input, Item, Whole } from '../api.ts'
import { messageOf, useCall, useDo, usePages, useWhole } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { LineDialog } from '../ui/LineDialog.tsx'
import { Asked, Empty, More, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { webAddress } from '../words.ts'
import { Going } from './Going.tsx'
import type { Site } from './nouns.ts'

type Link = Item<'links.list'>
type Scan = Whole<'links.list'>['scan']

const verdicts: Record<Link['confidence'], [Tone, string, string]> = {
  broken: ['bad', t('Broken'), t('It failed twice.')],
  suspect: ['warn', t('Suspect'), t('It failed once, or in a way that may pass.')],
  blocked: ['unknown', t('Nobody knows'), t('Somebody does not let us look, which may be well for visitors.')],
}
const reasons: Record<Link['reason'], string> = {
  not_found: t('there is no such page'),
  gone: t('it was taken away for good'),
  client_error: t('it refuses the request'),
  server_error: t('its server fails'),
  dns: t('its name is not in DNS'),
  connect: t('its server cannot be reached'),
  tls: t('its certificate or TLS is not in order'),
  timeout: t('it did not answer in time'),
  protocol: t('its answer is no HTTP'),
  redirect_loop: t('it leads round in circles'),
  malformed: t('it is no address'),
  fragment: t('the page has no such place'),
  blocked: t('it does not let programs look'),
}

export function Links({ site }: { site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const [which, setWhich] = useState<string>('all')
  const asked: Input<'links.list'> = {
    site_id: site.id,
    limit: 50,
    ...(which === 'ignored' ? { ignored: true } : which !== 'all' && { confidence: which as Link['confidence'] }),
  }
  const whole = useWhole('links.list', { site_id: site.id, limit: 1 }, { every: 15_000 })
  const links = usePages('links.list', asked, { every: 15_000 })
  const scanning = useDo('links.scan', () => say(t('The scan has begun.')))
  return (
    <>
      <div className="toolbar">
        {works && (
          <Button
            variant="default"
            loading={scanning.isPending}
            onClick={() => scanning.mutate({ site_id: site.id }, { onError: (error) => say(messageOf(error)) })}
          >
            {t('Scan now')}
          </Button>
        )}
        <Asked of={whole} rows={1}>
          {({ scan, counts }) => (
            <span className="soft">
              {scan && counts && t('{broken} broken, {suspect} suspect, {blocked} that nobody could look at.', counts)}{' '}
              <Scanned scan={scan ?? null} />
            </span>
          )}
        </Asked>
      </div>
      <Going siteId={site.id} type="link_scan" />
      <search className="filters">
        <Select
          label={t('Which')}
          data={[
            { value: 'all', label: t('All that are not well') },
            { value: 'broken', label: t('Broken') },
            { value: 'suspect', label: t('Suspect') },
            { value: 'blocked', label: t('Nobody knows') },
            { value: 'ignored', label: t('Ignored') },
          ]}
          value={which}
          onChange={(value) => setWhich(value ?? 'all')}
        />
      </search>
      {links.error && <Trouble error={links.error} again={() => void links.refetch()} />}
      {links.isPending || whole.isPending ? (
        <Waiting />
      ) : links.items.length === 0 ? (
        whole.data?.scan ? (
          <Empty title={which === 'all' ? t('No link is known to be broken') : t('Nothing here')}>
            {t('As far as the last scan has looked.')}
          </Empty>
        ) : (
          <Empty title={t('Not known yet')}>
            {t('Nobody has looked at the links of this site, which is not the same as nothing found.')}
          </Empty>
        )
      ) : (
        <ul className="entries">
          {links.items.map((link) => (
            <Row key={link.id} link={link} />
          ))}
        </ul>
      )}
      <More of={links}>
        <T message="Show more of {links, plural, one {# link} other {# links}}" links={links.total} />
      </More>
    </>
  )
}

function Scanned({ scan }: { scan: NonNullable<Scan> | null }) {
  if (!scan) return <>{t('Nobody has looked yet.')}</>
  const limits = {
    pages: t('It stopped at the most pages it reads.'),
    links: t('It stopped at the most links it asks for.'),
    time: t('It stopped when its time was up.'),
    robots: t('robots.txt forbids every page but the front page, so nothing is known of the others.'),
  }
  const { blocked = 0, failed = 0, shut = 0, robots = 0 } = scan.unread ?? {}
  const unread = blocked + failed + shut
  return (
    <>
      {scan.completed_at ? (
        <T
          message="Scanned {when}: {pages, plural, one {# page} other {# pages}}, {links, plural, one {# link} other {# links}}."
          when={<When at={scan.completed_at} />}
          pages={scan.pages}
          links={scan.links}
        />
      ) : (
        <T
          message="Begun {when}, not ended: {pages, plural, one {# page} other {# pages}}, {links, plural, one {# link} other {# links}}."
          when={<When at={scan.started_at} />}
          pages={scan.pages}
          links={scan.links}
        />
      )}{' '}
      {scan.limit_reached && limits[scan.limit_reached]}{' '}
      {unread > 0 && (
        <T
          message="{unread, plural, one {# page} other {# pages}} could not be read ({blocked} did not let us look, {failed} failed, {shut} led to a sign-in or the like); what was known of their links stays."
          {...{ unread, blocked, failed, shut }}
        />
      )}{' '}
      {robots > 0 && scan.limit_reached !== 'robots' && (
        <T message="robots.txt forbids {robots, plural, one {# page} other {# pages}}, of whose links nothing is known." robots={robots} />
      )}
    </>
  )
}

const Address = ({ url }: { url: string }) => {
  const address = webAddress(url)
  return address ? (
    <a href={address} target="_blank" rel="noreferrer">
      {url}
    </a>
  ) : (
    <span className="mono">{url}</span>
  )
}

function Row({ link }: { link: Link }) {
  const works = useMay('write')
  const say = useSay()
  const [open, setOpen] = useState(false)
  const [asking, setAsking] = useState(false)
  const ids = { site_id: link.site_id, link_id: link.id }
  const ignoring = useDo('links.ignore', () => {
    setAsking(false)
    say(t('It is ignored, with your reason beside it.'))
  })
  const again = useDo('links.unignore', () => say(t('It counts again.')))
  const [tone, word, why] = verdicts[link.confidence]
  return (
    <li className="entry">
      <div>
        <p>
          <State tone={tone} why={why}>
            {word}
          </State>{' '}
          <Address url={link.url} />
        </p>
        <p className="soft">
          <T
            message="{reason}{status, select, none {} other { (HTTP {status})}} · {place} · since {first}, last tried {last}"
            reason={reasons[link.reason]}
            status={String(link.status_code ?? 'none')}
            place={link.is_internal ? t('within the site') : t('elsewhere')}
            first={<When at={link.first_seen_at} />}
            last={<When at={link.last_checked_at} />}
          />
        </p>
        {link.ignored && (
          <p className="soft">
            <T message="Ignored by {name}: {reason}" name={link.ignored.by.name} reason={link.ignored.reason} />
          </p>
        )}
        {link.well_since && (
          <p className="soft">
            <T message="It has not failed since {when}." when={<When at={link.well_since} />} />
          </p>
        )}
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="soft">
            <T message="Stands on {pages, plural, one {# page} other {# pages}}" pages={link.places} />
          </summary>
          {open && <Stands ids={ids} />}
        </details>
      </div>
      {works &&
        (link.ignored ? (
          <Button size="xs" variant="default" onClick={() => again.mutate(ids, { onError: (error) => say(messageOf(error)) })}>
            {t('Count it again')}
          </Button>
        ) : (
          <Button size="xs" variant="default" onClick={() => setAsking(true)} aria-label={t('Ignore: {url}', { url: link.url })}>
            {t('Ignore')}
          </Button>
        ))}
      {asking && (
        <LineDialog
          title={t('Ignore this link?')}
          verb={t('Ignore')}
          working={ignoring.isPending}
          error={ignoring.error}
          onClose={() => setAsking(false)}
          onLine={(reason) => ignoring.mutate({ ...ids, reason })}
        />
      )}
    </li>
  )
}

function Stands({ ids }: { ids: Input<'links.get'> }) {
  const detail = useCall('links.get', ids)
  return (
    <Asked of={detail} rows={2}>
      {({ stands, places }) => (
        <>
          <ul>
            {stands.map(({ page, element, text }) => (
              <li className="soft" key={`${page} ${element} ${text}`}>
                <Address url={page} /> {element}
                {text && `: “${text}”`}
              </li>
            ))}
          </ul>
          {places > stands.length && (
            <p className="soft">
              <T message="and on {places} more" places={places - stands.length} />
            </p>
          )}
        </>
      )}
    </Asked>
  )
}
