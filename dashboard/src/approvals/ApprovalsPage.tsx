import { Button, SegmentedControl } from '@mantine/core'
import { Link, useSearchParams } from 'wouter'
import { Empty, Page, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { count } from '../words.ts'
import { type Summary, useApprovals } from './ask.ts'

const states: Record<Summary['status'], [Tone, string]> = {
  pending: ['warn', 'Waits for a decision'],
  approved: ['good', 'Approved'],
  dispatched: ['good', 'Approved and begun'],
  rejected: ['unknown', 'Declined'],
  expired: ['unknown', 'Expired'],
  void: ['unknown', 'Void'],
  canceled: ['unknown', 'Taken back'],
}

export const ApprovalState = ({ status }: Pick<Summary, 'status'>) => {
  const [tone, words] = states[status]
  return <State tone={tone}>{words}</State>
}

export function ApprovalsPage() {
  const [asked, ask] = useSearchParams()
  const status = asked.get('status') ?? 'pending'
  const approvals = useApprovals(status === 'all' ? undefined : status)
  return (
    <Page
      title="Approvals"
      about="What agents asked for that a person decides. Nothing of it is done before somebody approves it, exactly as it is shown."
    >
      <SegmentedControl
        mb="md"
        aria-label="Which requests"
        value={status}
        onChange={(value) => ask(value === 'pending' ? {} : { status: value })}
        data={[
          { value: 'pending', label: 'Waiting' },
          { value: 'all', label: 'All' },
        ]}
      />
      {approvals.error && <Trouble error={approvals.error} again={() => void approvals.refetch()} />}
      {approvals.isPending ? (
        <Waiting />
      ) : approvals.items.length === 0 ? (
        <Empty title={status === 'pending' ? 'Nothing waits for a decision' : 'No request yet'}>
          Agents with a token that writes after approval only ask here before they change anything.
        </Empty>
      ) : (
        <Rows approvals={approvals.items} />
      )}
      {approvals.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void approvals.fetchNextPage()} loading={approvals.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </Page>
  )
}

const Rows = ({ approvals }: { approvals: Summary[] }) => {
  const names = useSiteNames()
  return (
    <table className="rows stack">
      <thead>
        <tr>
          <th scope="col">Request</th>
          <th scope="col">State</th>
          <th scope="col">Sites</th>
          <th scope="col">Asked by</th>
          <th scope="col">Asked</th>
          <th scope="col">Ends</th>
        </tr>
      </thead>
      <tbody>
        {approvals.map((each) => (
          <tr key={each.id}>
            <td>
              <Link href={`/approvals/${each.id}`} className="name">
                {each.title}
              </Link>
              {each.reason && <div className="soft">The agent says: {each.reason.text}</div>}
            </td>
            <td>
              <ApprovalState status={each.status} />
            </td>
            <td data-label="Sites">{each.sites === 1 && each.site_ids[0] ? names(each.site_ids[0]) : count(each.sites, 'site')}</td>
            <td data-label="Asked by">{each.requested_by.name}</td>
            <td data-label="Asked">
              <When at={each.created_at} />
            </td>
            <td data-label="Ends">{each.status === 'pending' ? <When at={each.expires_at} /> : '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
