import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { messageOf, useDo } from '../queries.ts'
import { t } from '../text.ts'
import { State, type Tone, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { plainly } from '../words.ts'
import { LinkDialog } from './LinkDialog.tsx'
import { SendDialog } from './SendDialog.tsx'
import type { WholeReport } from './tell.ts'

const tones: Record<string, Tone> = { open: 'good', sent: 'good', waiting: 'warn', bounced: 'bad', dead: 'bad' }

const failed: ReadonlySet<string> = new Set(['bounced', 'dead'])

/** Who reads it: private links and mails. */
export function WaysOut({ report, mayWrite }: { report: WholeReport; mayWrite: boolean }) {
  const [asking, setAsking] = useState<'link' | 'send'>()
  const isDraft = report.status === 'draft'
  const isOld = report.newer?.status === 'published'
  return (
    <section>
      <h2>{t('Who reads it')}</h2>
      {mayWrite && (
        <Group gap="xs" mb="md">
          {!isDraft && (
            <Button variant="default" onClick={() => setAsking('link')}>
              {t('Make a private link')}
            </Button>
          )}
          {!isOld && (
            <Button variant="default" onClick={() => setAsking('send')}>
              {isDraft ? t('Look at the mail') : t('Send by mail')}
            </Button>
          )}
        </Group>
      )}
      {report.links.length + report.mails.length === 0 && (
        <p className="soft">{isDraft ? t('Nobody, before it is published.') : t('Nobody yet: make a link, or send it.')}</p>
      )}
      {report.links.length > 0 && <Links report={report} mayWrite={mayWrite} />}
      {report.mails.length > 0 && <Mails report={report} maySend={mayWrite && !isOld} />}
      {asking === 'link' && <LinkDialog id={report.id} onClose={() => setAsking(undefined)} />}
      {asking === 'send' && <SendDialog id={report.id} isDraft={isDraft} onClose={() => setAsking(undefined)} />}
    </section>
  )
}

function Links({ report, mayWrite }: { report: WholeReport; mayWrite: boolean }) {
  const say = useSay()
  const revoking = useDo('reports.revoke_link', () => say(t('The link leads nowhere now.')))
  return (
    <table className="rows stack">
      <thead>
        <tr>
          <th scope="col">{t('Link')}</th>
          <th scope="col">{t('Made')}</th>
          <th scope="col">{t('Ends')}</th>
          <th scope="col">{t('Visits')}</th>
          <th scope="col">{t('Last visit')}</th>
          <th scope="col">
            <span className="sr">{t('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {report.links.map(({ id, status, created_at, expires_at, visits, last_visit_at }) => (
          <tr key={id}>
            <td>
              <State tone={tones[status] ?? 'unknown'}>{plainly(status)}</State>
            </td>
            <td data-label={t('Made')}>
              <When at={created_at} />
            </td>
            <td data-label={t('Ends')}>
              <When at={expires_at} />
            </td>
            <td data-label={t('Visits')}>{visits}</td>
            <td data-label={t('Last visit')}>
              <When at={last_visit_at} />
            </td>
            <td className="act">
              {mayWrite && status === 'open' && (
                <Button
                  size="xs"
                  variant="default"
                  loading={revoking.isPending && revoking.variables?.report_link_id === id}
                  onClick={() =>
                    revoking.mutate({ report_id: report.id, report_link_id: id }, { onError: (error) => say(messageOf(error)) })
                  }
                >
                  {t('Revoke')}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Mails({ report, maySend }: { report: WholeReport; maySend: boolean }) {
  const say = useSay()
  const sending = useDo('reports.send', ({ to }) => say(t('On its way to {to}.', { to: to.join(', ') })))
  /** The last one to its address. */
  const isLast = (id: string, address: string) => report.mails.find((mail) => mail.address === address)?.id === id
  return (
    <table className="rows stack">
      <thead>
        <tr>
          <th scope="col">{t('Mail to')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">{t('When')}</th>
          <th scope="col">
            <span className="sr">{t('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {report.mails.map(({ id, address, status, error, server_said, created_at, sent_at, bounced_at }) => (
          <tr key={id}>
            <td>
              <b>{address}</b>
              {error && <div className="soft">{error}</div>}
              {server_said && (
                <blockquote className="said">
                  <cite>{t('The mail server said, unverified:')}</cite>
                  {server_said.text}
                </blockquote>
              )}
            </td>
            <td>
              <State tone={tones[status] ?? 'unknown'}>{plainly(status)}</State>
            </td>
            <td data-label={t('When')}>
              <When at={bounced_at ?? sent_at ?? created_at} />
            </td>
            <td className="act">
              {maySend && failed.has(status) && isLast(id, address) && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('Send again to {address}', { address })}
                  loading={sending.isPending && sending.variables?.to?.[0] === address}
                  onClick={() => sending.mutate({ report_id: report.id, to: [address] }, { onError: (error) => say(messageOf(error)) })}
                >
                  {t('Send again')}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
