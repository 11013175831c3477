import type { Output } from '../api.ts'
import { t } from '../text.ts'
import { SiteSaid } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { plainly } from '../words.ts'
import { Tall } from './Tall.tsx'

type Planned = NonNullable<Output<'tweaks.apply'>['plan']>[number]

const verbs: Record<Planned['will'], string> = {
  apply: t('is switched on'),
  revert: t('is taken back'),
  nothing: t('stays as it is'),
}

/** Which protection is switched on or taken back where, and what else that does. */
export function TweakPlan({ plan }: { plan: Planned[] }) {
  const names = useSiteNames()
  return (
    <>
      <Tall label={t('What is switched on or taken back')}>
        {plan.map((each) => (
          <li key={`${each.site_id} ${each.tweak_id}`}>
            <b>{plainly(each.tweak_id)}</b> {verbs[each.will]} <span className="soft">{names(each.site_id)}</span>
            {[each.reason, ...(each.will === 'nothing' ? [] : each.side_effects)].map(
              (words) =>
                words && (
                  <div className="soft" key={words}>
                    {words}
                  </div>
                ),
            )}
            <SiteSaid text={each.site_said?.text} />
          </li>
        ))}
      </Tall>
      <p>{t('No backup is made first. Each is looked at right afterwards, and taken back by itself where the site suffers.')}</p>
    </>
  )
}
