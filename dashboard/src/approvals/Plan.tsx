import type { ReactNode } from 'react'
import type { Name, Output } from '../api.ts'
import { RestorePlan } from '../site/RestorePlan.tsx'
import { t } from '../text.ts'
import type { Whole } from './ask.ts'
import { ReportMail, ReportPlan } from './ReportPlan.tsx'
import { TweakPlan } from './TweakPlan.tsx'
import { UpdatePlan } from './UpdatePlan.tsx'

/** What was shown when it was asked for, as that operation's dry run answers; one of long ago may lack what was added since. */
const planOf = <Of extends Name>({ operation, plan }: Whole, name: Of) =>
  operation === name ? (plan?.answer as Partial<Output<Of>> | undefined) : undefined

/** What would be done, in words: items with their versions, sites, what a client would read, and what protects it. */
export function Plan({ approval }: { approval: Whole }): ReactNode {
  const { values } = approval.input
  const update = planOf(approval, 'updates.apply') ?? planOf(approval, 'rollouts.start') ?? planOf(approval, 'rollouts.continue')
  if (update) return <UpdatePlan plan={update} />
  const tweaks = planOf(approval, 'tweaks.apply')
  if (tweaks) return <TweakPlan plan={tweaks.plan ?? []} />
  const restored = planOf(approval, 'restores.create')
  if (restored)
    return (
      <>
        <p>{t('The site becomes what it was in the backup; what was written since then is gone from it.')}</p>
        <RestorePlan plan={restored.plan ?? null} />
        <p>
          {values.safety_backup === false
            ? t('No backup is made first. The restore itself can be undone for 24 hours.')
            : t('The site is backed up first, and the restore can be undone for 24 hours.')}
        </p>
      </>
    )
  const published = planOf(approval, 'reports.publish')
  if (published) return <ReportPlan report={published} />
  const sent = planOf(approval, 'reports.send')
  if (sent) return <ReportMail to={sent.to ?? []} mail={sent.mail} />
  const tried = planOf(approval, 'reports.test_mail')
  if (tried) return <ReportMail to={[String(values.to)]} mail={tried.mail} />
  return (
    <p className="soft">
      {plainEffects[approval.operation] ?? t('This has no plan of its own; what was asked stands below. No backup is made first.')}
    </p>
  )
}

/** What comes of operations without a plan that are not told by their title. */
const plainEffects: Partial<Record<string, string>> = {
  'restores.undo': t('The site becomes what it was before its last restore; what was written since then is gone. No backup is made first.'),
  'backups.create': t('A backup is made and kept. The site stays as it is.'),
  'backups.delete': t('The backup is deleted for good; what other backups need of it stays.'),
  'backups.verify': t('The backup is read back and checked. The site stays as it is.'),
  'reports.discard': t('The draft and its notes are thrown away; what was published stays.'),
}
