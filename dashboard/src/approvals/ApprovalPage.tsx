import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Names } from '../ui/Names.tsx'
import { Asked, Facts, Page, Trouble, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { jobPath } from '../words.ts'
import { ApprovalState } from './ApprovalsPage.tsx'
import { useApprovals, type Whole } from './ask.ts'
import { Plan } from './Plan.tsx'
import { Values } from './Values.tsx'

/** One request: what would be done, where, who asked and why; and the decision. */
export function ApprovalPage({ id }: { id: string }) {
  const approval = useCall('approvals.get', { approval_id: id }, { every: 5000 })
  return (
    <Page
      title={approval.data?.title ?? t('Request')}
      above={<Link href="/approvals">{t('Approvals')}</Link>}
      about={approval.data && <ApprovalState status={approval.data.status} />}
    >
      <Asked of={approval}>{(known) => <Told approval={known} />}</Asked>
    </Page>
  )
}

function Told({ approval }: { approval: Whole }) {
  const names = useSiteNames()
  const { reason, decided_by, note, ended_reason, job_id, site_ids } = approval
  const isOpen = approval.status === 'pending'
  const where =
    site_ids.length === 0 ? t('the workspace') : <Names of={site_ids} as={(site) => <Link href={`/sites/${site}`}>{names(site)}</Link>} />
  return (
    <div className="cards">
      <section className="card wide">
        <h2>{isOpen ? t('If you approve') : t('What it is about')}</h2>
        <p>
          {isOpen ? (
            <T
              message="“{title}” is done on {where}, exactly as shown here. Should anything about it have changed by then, it is refused."
              title={approval.title}
              where={where}
            />
          ) : (
            <T message="“{title}” on {where}." title={approval.title} where={where} />
          )}
        </p>
        <Plan approval={approval} />
        {isOpen ? <Decision approval={approval} /> : <NextRequest after={approval.id} />}
      </section>
      <section className="card">
        <h2>{t('Who asked, and why')}</h2>
        <Facts
          of={[
            [t('Agent'), approval.requested_by.name],
            [t('Through'), ways[approval.via]],
            [t('Asked'), <When key="a" at={approval.created_at} />],
            ...(isOpen ? [[t('Ends'), <When key="e" at={approval.expires_at} />] as [string, React.ReactNode]] : []),
            ...(approval.decided_at ? [[t('Decided'), <When key="d" at={approval.decided_at} />] as [string, React.ReactNode]] : []),
            ...(decided_by ? [[t('By'), decided_by.name] as [string, React.ReactNode]] : []),
            ...(note ? [[t('Note'), note] as [string, React.ReactNode]] : []),
            ...(approval.policy ? [[t('Policy'), policyOf(approval.policy)] as [string, React.ReactNode]] : []),
            ...(approval.all_waves ? [[t('Waves'), t('All were let go')] as [string, React.ReactNode]] : []),
          ]}
        />
        {ended_reason && <p>{ended_reason}</p>}
        {job_id && (
          <p>
            <Link href={jobPath(job_id)}>{t('What became of it')}</Link>
          </p>
        )}
        {reason ? (
          <blockquote className="said">
            <cite>{t('The agent’s reason, unverified:')}</cite>
            {reason.text}
          </blockquote>
        ) : (
          <p className="soft">{t('The agent gave no reason.')}</p>
        )}
      </section>
      <section className="card">
        <h2>{t('Exactly what was asked')}</h2>
        <details>
          <summary>{approval.operation}</summary>
          <Values of={approval.input.values} />
        </details>
      </section>
    </div>
  )
}

/** The face it came by. */
const ways: Record<Whole['via'], string> = {
  mcp: t('the tools of agents (MCP)'),
  api: t('the API'),
  dashboard: t('the dashboard'),
  system: t('the service itself'),
}

const policyOf = ({ rule, version, set_by }: NonNullable<Whole['policy']>) =>
  `${rule} (${version === 0 ? t('as usual') : t('version {version}, set by {name}', { version, name: set_by?.name })})`

/** Whether more waves come after the one that is decided over. */
function hasMoreWaves({ plan, operation }: Whole): boolean {
  const { waves, wave } = (plan?.answer ?? {}) as { waves?: number | null; wave?: number }
  return operation === 'rollouts.continue' ? (waves ?? 0) > (wave ?? 0) : operation === 'rollouts.start' && (waves ?? 0) > 1
}

/** The one that waits longest, so that whoever has decided goes on without the list. */
function NextRequest({ after }: { after: string }) {
  const manages = useMay('manage')
  const pending = useApprovals('pending')
  const waiting = pending.items.filter(({ id }) => id !== after)
  const next = waiting.at(-1)
  if (!next || !manages || pending.hasNextPage) return null
  return (
    <p>
      <T
        message="{waiting, plural, one {# more waits} other {# more wait}} for a decision. <a>Next: {title}</a>"
        waiting={waiting.length}
        title={next.title}
        a={(words) => <Link href={`/approvals/${next.id}`}>{words}</Link>}
      />
    </p>
  )
}

/** Declining comes first and has the focus. */
function Decision({ approval }: { approval: Whole }) {
  const manages = useMay('manage')
  const say = useSay()
  const [note, setNote] = useState('')
  const decline = useRef<HTMLButtonElement>(null)
  useEffect(() => decline.current?.focus({ preventScroll: true }), [])
  const denying = useDo('approvals.deny', () => say(t('Declined. Nothing was done.')))
  const approving = useDo('approvals.approve', () => say(t('Approved. It is done exactly as it was shown.')))
  const [allWaves, setAllWaves] = useState(false)
  const said = { approval_id: approval.id, ...(note.trim() && { note: note.trim() }) }
  if (!manages) return <p className="soft">{t('An owner or admin decides.')}</p>
  return (
    <>
      <TextInput
        label={t('A word to whoever asked')}
        description={t('Not needed.')}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={500}
        mt="md"
      />
      {hasMoreWaves(approval) && (
        <Checkbox
          mt="md"
          label={t('Allow all waves')}
          description={t('Without it, each further wave is asked for again when the one before has ended.')}
          checked={allWaves}
          onChange={(event) => setAllWaves(event.currentTarget.checked)}
        />
      )}
      {(denying.error ?? approving.error) && <Trouble error={denying.error ?? approving.error} />}
      <Group mt="md">
        <Button
          variant="default"
          ref={decline}
          loading={denying.isPending}
          disabled={approving.isPending}
          onClick={() => denying.mutate(said)}
        >
          {t('Decline')}
        </Button>
        <Button
          loading={approving.isPending}
          disabled={denying.isPending}
          onClick={() => approving.mutate({ ...said, plan_digest: approval.plan_digest, ...(allWaves && { allow_all_waves: true }) })}
        >
          {t('Approve')}
        </Button>
      </Group>
      <p className="soft" role="status">
        {approving.isPending && t('It is checked whether everything still is as it is shown. That can take a while.')}
      </p>
    </>
  )
}
