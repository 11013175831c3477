import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '../session.tsx'
import { Asked, Facts, Page, Trouble, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { count } from '../words.ts'
import { ApprovalState } from './ApprovalsPage.tsx'
import { useApproval, useDecision, type Whole } from './ask.ts'
import { Plan } from './Plan.tsx'

/** One request: what would be done, where, who asked and why; and the decision. */
export function ApprovalPage({ id }: { id: string }) {
  const approval = useApproval(id)
  return (
    <Page
      title={approval.data?.title ?? 'Request'}
      above={<Link href="/approvals">Approvals</Link>}
      about={approval.data && <ApprovalState status={approval.data.status} />}
    >
      <Asked of={approval}>{(known) => <Told approval={known} />}</Asked>
    </Page>
  )
}

function Told({ approval }: { approval: Whole }) {
  const names = useSiteNames()
  const { reason, decided_by, note, ended_reason, job_id, plan, site_ids, sites } = approval
  return (
    <div className="cards">
      <section className="card wide">
        <h2>If you approve</h2>
        <p>
          “{approval.title}” is done on{' '}
          {site_ids.slice(0, 5).map((site, index) => (
            <span key={site}>
              {index > 0 && ', '}
              <Link href={`/sites/${site}`}>{names(site)}</Link>
            </span>
          ))}
          {sites > Math.min(5, site_ids.length) && ` and ${count(sites - Math.min(5, site_ids.length), 'more site')}`}
          {sites === 0 && 'the workspace'}, exactly as shown here. Should anything about it have changed by then, it is refused.
        </p>
        <Plan answer={plan?.answer} />
        {approval.status === 'pending' && <Decision approval={approval} />}
      </section>
      <section className="card">
        <h2>Who asked, and why</h2>
        <Facts
          of={[
            ['Agent', approval.requested_by.name],
            ['Through', approval.via],
            ['Asked', <When key="a" at={approval.created_at} />],
            ['Ends', <When key="e" at={approval.expires_at} />],
            ...(approval.decided_at ? [['Decided', <When key="d" at={approval.decided_at} />] as [string, React.ReactNode]] : []),
            ...(decided_by ? [['By', decided_by.name] as [string, React.ReactNode]] : []),
            ...(note ? [['Note', note] as [string, React.ReactNode]] : []),
            ...(approval.policy ? [['Policy', policyOf(approval.policy)] as [string, React.ReactNode]] : []),
            ...(approval.all_waves ? [['Waves', 'All were let go'] as [string, React.ReactNode]] : []),
          ]}
        />
        {ended_reason && <p>{ended_reason}</p>}
        {job_id && (
          <p>
            <Link href={job_id.startsWith('rollout_') ? `/rollouts/${job_id}` : `/jobs/${job_id}`}>What became of it</Link>
          </p>
        )}
        {reason ? (
          <blockquote className="said">
            <cite>The agent’s reason, unverified:</cite>
            {reason.text}
          </blockquote>
        ) : (
          <p className="soft">The agent gave no reason.</p>
        )}
      </section>
      <section className="card">
        <h2>Exactly what was asked</h2>
        <details>
          <summary>{approval.operation}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
          <section className="plain" tabIndex={0} aria-label="What was asked, as JSON">
            <pre>{JSON.stringify(approval.input.values, undefined, 2)}</pre>
          </section>
        </details>
      </section>
    </div>
  )
}

const policyOf = ({ rule, version, set_by }: NonNullable<Whole['policy']>) =>
  `${rule} (${version === 0 ? 'as usual' : `version ${version}, set by ${set_by?.name}`})`

/** Whether more waves come after the one that is decided over. */
function hasMoreWaves({ plan, operation }: Whole): boolean {
  const { waves, wave } = (plan?.answer ?? {}) as { waves?: number | null; wave?: number }
  return operation === 'rollouts.continue' ? (waves ?? 0) > (wave ?? 0) : operation === 'rollouts.start' && (waves ?? 0) > 1
}

/** Declining comes first and has the focus. */
function Decision({ approval }: { approval: Whole }) {
  const manages = useMay('manage')
  const say = useSay()
  const [note, setNote] = useState('')
  const decline = useRef<HTMLButtonElement>(null)
  useEffect(() => decline.current?.focus({ preventScroll: true }), [])
  const denying = useDecision('deny', () => say('Declined. Nothing was done.'))
  const approving = useDecision('approve', () => say('Approved. It is done exactly as it was shown.'))
  const [allWaves, setAllWaves] = useState(false)
  const said = { approval_id: approval.id, ...(note.trim() && { note: note.trim() }) }
  if (!manages) return <p className="soft">An owner or admin decides.</p>
  return (
    <>
      <TextInput
        label="A word to whoever asked"
        description="Not needed."
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={500}
        mt="md"
      />
      {hasMoreWaves(approval) && (
        <Checkbox
          mt="md"
          label="Allow all waves"
          description="Without it, each further wave is asked for again when the one before has ended."
          checked={allWaves}
          onChange={(event) => setAllWaves(event.currentTarget.checked)}
        />
      )}
      {(denying.error ?? approving.error) && <Trouble error={denying.error ?? approving.error} />}
      <Group mt="md">
        <Button variant="default" ref={decline} loading={denying.isPending} onClick={() => denying.mutate(said as never)}>
          Decline
        </Button>
        <Button
          loading={approving.isPending}
          onClick={() =>
            approving.mutate({ ...said, plan_digest: approval.plan_digest, ...(allWaves && { allow_all_waves: true }) } as never)
          }
        >
          Approve
        </Button>
      </Group>
    </>
  )
}
