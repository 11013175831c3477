import { Alert, Button, Group, Loader, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Output } from '../api.ts'
import { useCall, useDo } from '../queries.ts'
import { inLanguage, t } from '../text.ts'
import { SiteSaid, State, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { hostOf } from '../words.ts'
import { connectionOf } from './judge.ts'

type Made = Output<'pairing.create_code'>
type Refused = NonNullable<Output<'pairing.get_code'>['refused']>

interface Parts {
  of: Made
  /** Another code takes its place. */
  renew: (made: Made) => void
  open?: ((siteId: string) => void) | undefined
}

/** What has come of a code: the site that was paired with it, or why one was refused and what to do. */
export function Arrival({ of, renew, open }: Parts) {
  const { id } = of
  const code = useCall('pairing.get_code', { code_id: id }, { every: 2000 })
  const { paired_site_id: siteId = null, refused = null } = code.data?.id === id ? code.data : {}
  if (siteId !== null) return <Came siteId={siteId} open={open} />
  if (refused) return <Refusal refused={refused} of={of} renew={renew} />
  return (
    <>
      {of.found_from !== 'anywhere' && (
        <Alert color="yellow" variant="outline" mt="md">
          {nearOnly[of.found_from](of.service_url)}
        </Alert>
      )}
      <Group mt="md" gap="sm" role="status">
        <Loader size="sm" />
        <Text size="sm">
          {t(
            'Waiting for the site. If it says that it cannot reach this address, the address must be one that the site’s server can open.',
          )}
        </Text>
      </Group>
    </>
  )
}

/** Which sites do not find the address of the service, and what to do. */
const nearOnly: Record<Exclude<Made['found_from'], 'anywhere'>, (address: string) => string> = {
  machine: (address) =>
    t(
      'A site on another machine cannot open {address}; one on the machine of this service can. For others the operator sets SERVICE_BASE_URL to the address at which they reach it, starts the service again, and you make another code.',
      { address },
    ),
  network: (address) =>
    t(
      'A site elsewhere cannot open {address}; one in the same network can. For others the operator sets SERVICE_BASE_URL to the address at which they reach it, starts the service again, and you make another code.',
      { address },
    ),
}

function Came({ siteId, open }: { siteId: string; open: Parts['open'] }) {
  const { data: site } = useCall('sites.get', { site_id: siteId }, { every: 2000 })
  if (!site) return null
  const { tone, words, why } = connectionOf(site)
  const next = site.status === 'connected' ? null : site.connection.last_error?.next
  return (
    <Group mt="md" justify="space-between" role="status">
      <Text>
        <b>{site.name || hostOf(site.url)}</b> <State tone={tone}>{words}</State>
        {why && (
          <Text size="sm" c="dimmed" component="span" display="block">
            {why}
          </Text>
        )}
        {next && (
          <Text size="sm" component="span" display="block">
            {inLanguage(next)}
          </Text>
        )}
      </Text>
      {open && <Button onClick={() => open(siteId)}>{t('Open the site')}</Button>}
    </Group>
  )
}

const reasons: Record<Refused['reason'], string> = {
  forbidden_address: t(
    'The service may not connect to the address that the site gave. For sites in a network of your own the operator sets SERVICE_ALLOW_PRIVATE_SITES=true.',
  ),
  known_site: t('This address is a site of the workspace already. If it was disconnected or set up anew, pair it anew from its settings.'),
  similar_site: t(
    'It looks like a site of the workspace. If it is that one, pair it anew from its settings and say where it has moved; if it is another one, make a code for its host.',
  ),
  other_address: t('This code is for a site at another address. If it has moved, give its new host under “Moved to” and make a new code.'),
  address_taken: t('Another site of the workspace has this address. Remove that one first.'),
  site_gone: t('The site that this code was made for is not in the workspace any more. Add it as a new one.'),
  other_host: t('This code is for another host. Make one for this host.'),
  used: t('This code was used already. Make a new one.'),
  ended: t('This code has ended. Make a new one.'),
  wrong_proof: t('What was entered there does not fit this code. Copy it once more; after five attempts only a new code helps.'),
}

function Refusal({ refused: { reason, url, site_id, at }, of, renew }: { refused: Refused } & Pick<Parts, 'of' | 'renew'>) {
  const names = useSiteNames()
  const making = useDo('pairing.create_code', renew)
  const host = URL.canParse(url) ? new URL(url).host : ''
  // A code that pairs a site anew goes on being for that one.
  const again = of.site_id === null ? { host } : { site_id: of.site_id, host }
  const steps: ReactNode[] = [
    site_id !== null && (
      <Link key="site" href={`/sites/${site_id}/settings`}>
        {t('Settings of {site}', { site: names(site_id) })}
      </Link>
    ),
    (reason === 'similar_site' || reason === 'other_host') && host !== '' && (
      <Button key="host" size="xs" variant="default" loading={making.isPending} onClick={() => making.mutate(again)}>
        {t('Make a code for {host}', { host })}
      </Button>
    ),
  ]
  return (
    <div role="alert">
      <Text mt="md">
        <b>{t('A site was refused')}</b> · <When at={at} />
      </Text>
      <Text size="sm">{reasons[reason]}</Text>
      <SiteSaid text={url} />
      <Group gap="sm">{steps}</Group>
    </div>
  )
}
