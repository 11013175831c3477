import type { Output } from '../api.ts'
import { T, t } from '../text.ts'
import { SiteSaid, When } from '../ui/parts.tsx'
import { hostOf, plainly } from '../words.ts'
import { Tall } from './Tall.tsx'

/** Of one site, of many in waves, or of the next wave. */
type Planned = Partial<Output<'updates.apply'> & Output<'rollouts.start'> & Omit<Output<'rollouts.continue'>, 'sites'>>
type PlannedSite = NonNullable<Planned['sites']>[number]

const backups: Record<string, string> = { db: t('of the database'), files: t('of the files'), full: t('of files and database') }

/** What would be updated where, from which version to which, and the backup before it. */
export function UpdatePlan({ plan }: { plan: Planned }) {
  const { items, sites, live_error } = plan
  const going = sites?.filter(({ wave }) => wave !== null) ?? []
  const out = sites?.filter(({ wave }) => wave === null) ?? []
  return (
    <>
      {items && items.length > 0 && (
        <ul>
          {items.map((item) => (
            <li key={`${item.type} ${item.file ?? item.slug}`}>
              <b>{item.name || item.slug}</b> {item.from_version} → {item.to_version}
              {!item.will_run && <span className="soft"> {t('left out')}</span>}
              {item.reason && <div className="soft">{item.reason}</div>}
              {item.risks?.map((risk) => (
                <div className="soft" key={risk}>
                  {risk}
                </div>
              ))}
            </li>
          ))}
        </ul>
      )}
      {going.length > 0 && (
        <>
          <p>{waves(plan, going.length)}</p>
          <Tall label={t('Sites that are updated')}>
            {going.map((site) => (
              <Site key={site.site_id} site={site} />
            ))}
          </Tall>
        </>
      )}
      {out.length > 0 && (
        <>
          <p>{t('Left out:')}</p>
          <Tall label={t('Sites that are left out')}>
            {out.map((site) => (
              <li key={site.site_id}>
                {site.name || hostOf(site.url)} {site.reason && <span className="soft">{site.reason}</span>}
              </li>
            ))}
          </Tall>
        </>
      )}
      {live_error && <p className="soft">{live_error}</p>}
      <SiteSaid text={plan.site_said?.text} />
      <Protection plan={plan} />
    </>
  )
}

function waves({ waves, wave }: Planned, sites: number): string {
  if (wave !== undefined)
    return t('Wave {wave} of {waves}, and what comes behind it: {sites, plural, one {# site} other {# sites}}.', { wave, waves, sites })
  return t('{sites, plural, one {# site} other {# sites}}, in {waves, plural, one {one wave} other {# waves}}:', {
    sites,
    waves: waves ?? 1,
  })
}

const Site = ({ site }: { site: PlannedSite }) => (
  <li>
    <b>{site.name || hostOf(site.url)}</b> <span className="soft">{t('wave {wave}', { wave: site.wave })}</span>
    {site.items?.map((item) => (
      <div key={`${item.type} ${item.slug}`}>
        {item.type === 'plugin' || item.type === 'theme' ? item.slug : plainly(item.type)} {item.from_version} → {item.to_version}
        {item.reason && <span className="soft"> {item.reason}</span>}
        {item.risks?.map((risk) => (
          <div className="soft" key={risk}>
            {risk}
          </div>
        ))}
      </div>
    ))}
  </li>
)

/** The backup that comes first, or the one that is recent enough. */
function Protection({ plan: { backup, sites } }: { plan: Planned }) {
  if (backup?.reused)
    return (
      <p>
        <T
          message="The backup {backups} made {when} protects it."
          backups={backups[backup.reused.type] ?? ''}
          when={<When at={backup.reused.created_at} />}
        />
      </p>
    )
  if (backup && backup.type !== 'none')
    return <p>{t('A backup {backups} is made first. It protects this.', { backups: backups[backup.type] ?? '' })}</p>
  return (
    <p>
      {sites ? t('Each site is backed up before its update, as its schedule says.') : t('No backup is made first: the schedule says so.')}
    </p>
  )
}
