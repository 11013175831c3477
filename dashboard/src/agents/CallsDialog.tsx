import { Button, Group, Select } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Item } from '../api.ts'
import { usePages } from '../queries.ts'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Empty, State, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { amid, plainly } from '../words.ts'

/** What a token asked for, as the audit has it, live. */
export function CallsDialog({ token, onClose }: { token: Item<'tokens.list'>; onClose: () => void }) {
  const names = useSiteNames()
  const [outcome, setOutcome] = useState<string | null>(null)
  const calls = usePages('tokens.calls', { token_id: token.id, limit: 50, ...(outcome && { outcome }) }, { every: 4000 })
  return (
    <Dialog onClose={onClose} title={t('What “{name}” did', { name: token.name })} size="xl">
      <Select
        label={t('How it ended')}
        clearable
        allowDeselect
        placeholder={t('Any')}
        className="medium"
        data={['ok', 'awaiting_approval', 'insufficient_scope', 'not_found', 'invalid_payload', 'conflict', 'rate_limited'].map(
          (value) => ({ value, label: plainly(value) }),
        )}
        value={outcome}
        onChange={setOutcome}
      />
      {calls.error && <Trouble error={calls.error} again={() => void calls.refetch()} />}
      {calls.isPending ? (
        <Waiting />
      ) : calls.items.length === 0 ? (
        <Empty title={t('No call')}>{outcome ? t('None ended so.') : t('It was not used yet.')}</Empty>
      ) : (
        <table className="rows stack">
          <thead>
            <tr>
              <th scope="col">{t('Call')}</th>
              <th scope="col">{t('Site')}</th>
              <th scope="col">{t('How it ended')}</th>
              <th scope="col">{t('When')}</th>
            </tr>
          </thead>
          <tbody>
            {calls.items.map((call) => (
              <tr key={call.id}>
                <td>
                  <b>{call.operation}</b> <small>{amid(plainly(call.via))}</small>
                </td>
                <td data-label={t('Site')}>
                  {call.site_id ? <Link href={`/sites/${call.site_id}`}>{names(call.site_id)}</Link> : <span className="soft">–</span>}
                </td>
                <td>
                  <State tone={call.outcome === 'ok' ? 'good' : call.outcome === 'awaiting_approval' ? 'unknown' : 'warn'}>
                    {plainly(call.outcome)}
                  </State>
                </td>
                <td>
                  <When at={call.at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Group justify="space-between" mt="lg">
        {calls.hasNextPage ? (
          <Button variant="default" onClick={() => void calls.fetchNextPage()} loading={calls.isFetchingNextPage}>
            <T message="Show more of {calls, plural, one {# call} other {# calls}}" calls={calls.total} />
          </Button>
        ) : (
          <span />
        )}
        <Button variant="default" onClick={onClose}>
          {t('Close')}
        </Button>
      </Group>
    </Dialog>
  )
}
