import { Group } from '@mantine/core'
import { lazy } from 'react'
import { Link } from 'wouter'
import { Failure } from '../api.ts'
import { connectionOf } from '../fleet/judge.ts'
import { useCall } from '../queries.ts'
import { t } from '../text.ts'
import { Asked, Nothing, Page, State } from '../ui/parts.tsx'
import { SubNav } from '../ui/SubNav.tsx'
import { hostOf, webAddress } from '../words.ts'
import { LoginButton } from './LoginButton.tsx'
import type { Site } from './nouns.ts'
import { Overview } from './Overview.tsx'

const SiteActivity = lazy(async () => ({ default: (await import('./Activity.tsx')).SiteActivity }))
const Backups = lazy(async () => ({ default: (await import('./Backups.tsx')).Backups }))
const Security = lazy(async () => ({ default: (await import('./Security.tsx')).Security }))
const SiteJobs = lazy(async () => ({ default: (await import('./SiteJobs.tsx')).SiteJobs }))
const SiteSettings = lazy(async () => ({ default: (await import('./SiteSettings.tsx')).SiteSettings }))
const Updates = lazy(async () => ({ default: (await import('./Updates.tsx')).Updates }))
const Performance = lazy(async () => ({ default: (await import('./Performance.tsx')).Performance }))
const Errors = lazy(async () => ({ default: (await import('./Errors.tsx')).Errors }))
const Links = lazy(async () => ({ default: (await import('./Links.tsx')).Links }))
const Timetable = lazy(async () => ({ default: (await import('./Timetable.tsx')).Timetable }))
const Uptime = lazy(async () => ({ default: (await import('./Uptime.tsx')).Uptime }))

const parts = {
  overview: { label: t('Overview'), show: Overview },
  updates: { label: t('Updates'), show: Updates },
  backups: { label: t('Backups'), show: Backups },
  security: { label: t('Security'), show: Security },
  uptime: { label: t('Uptime'), show: Uptime },
  performance: { label: t('Performance'), show: Performance },
  errors: { label: t('PHP errors'), show: Errors },
  links: { label: t('Links'), show: Links },
  jobs: { label: t('Jobs'), show: SiteJobs },
  activity: { label: t('Activity'), show: SiteActivity },
  timetable: { label: t('Timetable'), show: Timetable },
  settings: { label: t('Settings'), show: SiteSettings },
} as const

export function SitePage({ site: id, part }: { site: string; part: string }) {
  const site = useCall('sites.get', { site_id: id }, { every: 10_000 })
  if (site.error instanceof Failure && site.error.status === 404)
    return (
      <Nothing title={t('There is no such site')} action={<Link href="/">{t('To the sites')}</Link>}>
        {t('It was removed, or belongs to another workspace.')}
      </Nothing>
    )
  const { label, show: Part } = parts[part as keyof typeof parts] ?? parts.overview
  const name = site.data ? site.data.name || hostOf(site.data.url) : t('Site')
  const address = webAddress(site.data?.home) ?? webAddress(site.data?.url)
  return (
    <Page
      title={Part === Overview ? name : t('{label} of {name}', { label, name })}
      above={<Link href="/">{t('Sites')}</Link>}
      about={
        site.data && (
          <Group gap="xs">
            {address ? (
              <a href={address} target="_blank" rel="noreferrer">
                {hostOf(address)}
              </a>
            ) : (
              hostOf(site.data.url)
            )}
            <Told site={site.data} />
          </Group>
        )
      }
      actions={site.data && <LoginButton site={site.data} />}
    >
      <SubNav
        label={t('This site')}
        places={Object.entries(parts).map(([key, { label: each }]) => ({
          path: key === 'overview' ? `/sites/${id}` : `/sites/${id}/${key}`,
          label: each,
          current: each === label,
        }))}
      />
      <Asked of={site}>{(known) => <Part site={known} />}</Asked>
    </Page>
  )
}

function Told({ site }: { site: Site }) {
  const { tone, words, why } = connectionOf(site)
  return (
    <State tone={tone} why={why}>
      {words}
    </State>
  )
}
