import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import type { Input, Item, Whole } from '../api.ts'
import { messageOf, useCall, useDo, usePages, useWhole } from '../queries.ts'
import { useMay } from '../session.tsx'
import { LineDialog } from '../ui/LineDialog.tsx'
import { Asked, Empty, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { count, webAddress } from '../words.ts'
import { Going } from './Going.tsx'
import type { Site } from './SitePage.tsx'

type Link = Item<'links.list'>
type Scan = Whole<'links.list'>['scan']

const verdicts: Record<Link['confidence'], [Tone, string, string]> = {
  broken: ['bad', 'Broken', 'It failed twice.'],
  suspect: ['warn', 'Suspect', 'It failed once, or in a way that may pass.'],
  blocked: ['unknown', 'Nobody knows', 'Somebody does not let us look, which may be well for visitors.'],
}
const reasons: Record<Link['reason'], string> = {
  not_found: 'there is no such page',
  gone: 'it was taken away for good',
  client_error: 'it refuses the request',
  server_error: 'its server fails',
  dns: 'its name is not in DNS',
  connect: 'its server cannot be reached',
  tls: 'its certificate or TLS is not in order',
  timeout: 'it did not answer in time',
  protocol: 'its answer is no HTTP',
  redirect_loop: 'it leads round in circles',
  malformed: 'it is no address',
  fragment: 'the page has no such place',
  blocked: 'it does not let programs look',
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
  const scanning = useDo('links.scan', () => say('The scan has begun.'))
  return (
    <>
      <div className="toolbar">
        {works && (
          <Button
            variant="default"
            loading={scanning.isPending}
            onClick={() => scanning.mutate({ site_id: site.id }, { onError: (error) => say(messageOf(error)) })}
          >
            Scan now
          </Button>
        )}
        <Asked of={whole} rows={1}>
          {({ scan, counts }) => (
            <span className="soft">
              {scan ? `${counts.broken} broken, ${counts.suspect} suspect, ${counts.blocked} that nobody could look at. ` : ''}
              <Scanned scan={scan ?? null} />
            </span>
          )}
        </Asked>
      </div>
      <Going siteId={site.id} type="link_scan" />
      <search className="filters">
        <Select
          label="Which"
          data={[
            { value: 'all', label: 'All that are not well' },
            { value: 'broken', label: 'Broken' },
            { value: 'suspect', label: 'Suspect' },
            { value: 'blocked', label: 'Nobody knows' },
            { value: 'ignored', label: 'Ignored' },
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
          <Empty title={which === 'all' ? 'No link is known to be broken' : 'Nothing here'}>As far as the last scan has looked.</Empty>
        ) : (
          <Empty title="Not known yet">Nobody has looked at the links of this site, which is not the same as nothing found.</Empty>
        )
      ) : (
        <ul className="entries">
          {links.items.map((link) => (
            <Row key={link.id} link={link} />
          ))}
        </ul>
      )}
      {links.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void links.fetchNextPage()} loading={links.isFetchingNextPage}>
          Show more of {count(links.total, 'link')}
        </Button>
      )}
    </>
  )
}

function Scanned({ scan }: { scan: NonNullable<Scan> | null }) {
  if (!scan) return <>Nobody has looked yet.</>
  const limits = {
    pages: 'It stopped at the most pages it reads.',
    links: 'It stopped at the most links it asks for.',
    time: 'It stopped when its time was up.',
  }
  return (
    <>
      {scan.completed_at ? (
        <>
          Scanned <When at={scan.completed_at} />:
        </>
      ) : (
        <>
          Begun <When at={scan.started_at} />, not ended:
        </>
      )}{' '}
      {count(scan.pages, 'page')}, {count(scan.links, 'link')}. {scan.limit_reached && limits[scan.limit_reached]}
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
    say('It is ignored, with your reason beside it.')
  })
  const again = useDo('links.unignore', () => say('It counts again.'))
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
          {reasons[link.reason]}
          {link.status_code !== null && ` (HTTP ${link.status_code})`} · {link.is_internal ? 'within the site' : 'elsewhere'} · since{' '}
          <When at={link.first_seen_at} />, last tried <When at={link.last_checked_at} />
        </p>
        {link.ignored && (
          <p className="soft">
            Ignored by {link.ignored.by.name}: {link.ignored.reason}
          </p>
        )}
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="soft">Stands on {count(link.places, 'page')}</summary>
          {open && <Stands ids={ids} />}
        </details>
      </div>
      {works &&
        (link.ignored ? (
          <Button size="xs" variant="default" onClick={() => again.mutate(ids, { onError: (error) => say(messageOf(error)) })}>
            Count it again
          </Button>
        ) : (
          <Button size="xs" variant="default" onClick={() => setAsking(true)} aria-label={`Ignore: ${link.url}`}>
            Ignore
          </Button>
        ))}
      {asking && (
        <LineDialog
          title="Ignore this link?"
          verb="Ignore"
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
          {places > stands.length && <p className="soft">and on {places - stands.length} more</p>}
        </>
      )}
    </Asked>
  )
}
