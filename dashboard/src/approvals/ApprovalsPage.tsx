import { Button, SegmentedControl } from '@mantine/core'
import { Link, useSearchParams } from 'wouter'
import { T, t } from '../text.ts'
import { Empty, Page, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { type Summary, useApprovals } from './ask.ts'

const isState = (name: string): name is Summary['status'] => name in states

const states: Record<Summary['status'], [Tone, string]> = {
  pending: ['warn', t('Waits for a decision')],
  approved: ['good', t('Approved')],
  dispatched: ['good', t('Approved and begun')],
  rejected: ['unknown', t('Declined')],
  expired: ['unknown', t('Expired')],
  void: ['unknown', t('Void')],
  canceled: ['unknown', t('Taken back')],
}

export const ApprovalState = ({ status }: Pick<Summary, 'status'>) => {
  const [tone, words] = states[status]
  return <State tone={tone}>{words}</State>
}

export function ApprovalsPage() {
  const [asked, ask] = useSearchParams()
  const status = asked.get('status') ?? 'pending'
  const approvals = useApprovals(isState(status) ? status : undefined)
  return (
    <Page
      title={t('Approvals')}
      about={t('What agents asked for that a person decides. Nothing of it is done before somebody approves it, exactly as it is shown.')}
    >
      <SegmentedControl
        mb="md"
        aria-label={t('Which requests')}
        value={status}
        onChange={(value) => ask(value === 'pending' ? {} : { status: value })}
        data={[
          { value: 'pending', label: t('Waiting') },
          { value: 'all', label: t('All') },
        ]}
      />
      {approvals.error && <Trouble error={approvals.error} again={() => void approvals.refetch()} />}
      {approvals.isPending ? (
        <Waiting />
      ) : approvals.items.length === 0 ? (
        <Empty title={status === 'pending' ? t('Nothing waits for a decision') : t('No request yet')}>
          {t('Agents with a token that writes after approval only ask here before they change anything.')}
        </Empty>
      ) : (
        <Rows approvals={approvals.items} />
      )}
      {approvals.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void approvals.fetchNextPage()} loading={approvals.isFetchingNextPage}>
          {t('Show more')}
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
          <th scope="col">{t('Request')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">{t('Sites')}</th>
          <th scope="col">{t('Asked by')}</th>
          <th scope="col">{t('Asked')}</th>
          <th scope="col">{t('Ends')}</th>
        </tr>
      </thead>
      <tbody>
        {approvals.map((each) => (
          <tr key={each.id}>
            <td>
              <Link href={`/approvals/${each.id}`} className="name">
                {each.title}
              </Link>
              {each.reason && (
                <div className="soft">
                  <T message="The agent says: {text}" text={each.reason.text} />
                </div>
              )}
            </td>
            <td>
              <ApprovalState status={each.status} />
            </td>
            <td data-label={t('Sites')}>
              {each.sites === 1 && each.site_ids[0]
                ? names(each.site_ids[0])
                : t('{sites, plural, one {# site} other {# sites}}', { sites: each.sites })}
            </td>
            <td data-label={t('Asked by')}>{each.requested_by.name}</td>
            <td data-label={t('Asked')}>
              <When at={each.created_at} />
            </td>
            <td data-label={t('Ends')}>{each.status === 'pending' ? <When at={each.expires_at} /> : '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
