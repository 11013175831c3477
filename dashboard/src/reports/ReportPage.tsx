import { Alert, Button, Group, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { addressOf } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { LineDialog } from '../ui/LineDialog.tsx'
import { Asked, Page, State, Trouble, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { plainly } from '../words.ts'
import { PdfButton } from './PdfButton.tsx'
import { periodOf } from './period.ts'
import { Sections } from './Sections.tsx'
import { toneOf, type WholeReport } from './tell.ts'
import { WaysOut } from './WaysOut.tsx'

export function ReportPage({ report: id }: { report: string }) {
  const found = useCall('reports.get', { report_id: id }, { every: 5000 })
  return <Asked of={found}>{(report) => <Known report={report} />}</Asked>
}

function Known({ report }: { report: WholeReport }) {
  const { id, client_id, client_name, status, version, digest, newer } = report
  const isDraft = status === 'draft'
  const mayWrite = useMay('write')
  const printsPdf = useCall('reports.settings', {}).data?.prints_pdf
  return (
    <Page
      title={`${client_name}: ${periodOf(report)}`}
      above={<Link href="/reports">{t('Reports')}</Link>}
      about={
        <>
          <State tone={toneOf(report)}>{plainly(status)}</State>
          {version > 1 && ` ${t('Version {version}.', { version })} `} <Link href={`/clients/${client_id}`}>{client_name}</Link>,{' '}
          {t('{sites, plural, one {# site} other {# sites}}', { sites: report.sites })}.{' '}
          {report.published_at ? (
            <T message="Published {when}." when={<When at={report.published_at} />} />
          ) : (
            <T message="Drafted {when}." when={<When at={report.created_at} />} />
          )}
          {report.send_at && <T message="Published and sent {when}, unless somebody discards it." when={<When at={report.send_at} />} />}
          {report.status === 'draft' &&
            report.held_back &&
            t('An agent that needs approval wrote in it, so it is not sent by itself: read it, then publish it.')}{' '}
          {printsPdf === false && t('As PDF: look at it, and print it from your browser.')}
        </>
      }
      actions={
        report.stale.length === 0 && (
          <Group gap="xs">
            <Button variant="default" component="a" href={addressOf('reports.html', { report_id: id })} target="_blank" rel="noreferrer">
              {t('Look at it')}
            </Button>
            {printsPdf && <PdfButton id={id} />}
          </Group>
        )
      }
    >
      {report.stale.length > 0 && (
        <Alert
          color="yellow"
          variant="outline"
          role="alert"
          mb="md"
          title={t('Something in this draft is no longer for this client. It is shown to nobody until its figures are made anew.')}
        >
          {report.stale.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Alert>
      )}
      {newer && <Newer of={newer} />}
      {mayWrite && isDraft && <Decide id={id} digest={digest} />}
      {mayWrite && !isDraft && !newer && <Correct id={id} />}
      {report.summary.length > 0 && (
        <section>
          <h2>{t('How it begins')}</h2>
          <ul>
            {report.summary.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
      )}
      <Sections report={report} disabled={!isDraft || !mayWrite} />
      <WaysOut report={report} mayWrite={mayWrite} />
      {!isDraft && (
        <p className="soft" style={{ overflowWrap: 'anywhere' }}>
          {t('Frozen. The SHA-256 of its page: {digest}', { digest: digest ?? '' })}
        </p>
      )}
    </Page>
  )
}

/** What an old version leads to. */
function Newer({ of: { id, version, status } }: { of: NonNullable<WholeReport['newer']> }) {
  const follow = (words: ReactNode) => <Link href={`/reports/${id}`}>{words}</Link>
  return (
    <Alert color="blue" variant="outline" role="note" mb="md">
      {status === 'published' ? (
        <T message="<a>Version {version}</a> corrects this one. Links lead there." a={follow} version={version} />
      ) : (
        <T
          message="A correction is at work: <a>version {version}</a>. Links lead there once it is published."
          a={follow}
          version={version}
        />
      )}
    </Alert>
  )
}

function Decide({ id, digest }: { id: string; digest: string | null }) {
  const say = useSay()
  const [, go] = useLocation()
  const [asking, setAsking] = useState<'publish' | 'discard'>()
  const [read, setRead] = useState<string>()
  const publishing = useDo('reports.publish', () => {
    setAsking(undefined)
    say(t('It is published, and stays as it is.'))
  })
  const refreshing = useDo('reports.refresh', () => say(t('The figures are those of now.')))
  const discarding = useDo('reports.discard', () => go('/reports'))
  const ask = () => {
    setRead(digest ?? undefined)
    publishing.reset()
    setAsking('publish')
  }
  return (
    <>
      <Group gap="xs" mb="md">
        <Button onClick={ask}>{t('Publish')}</Button>
        <Button variant="default" loading={refreshing.isPending} onClick={() => refreshing.mutate({ report_id: id })}>
          {t('Make the figures anew')}
        </Button>
        <Button variant="default" onClick={() => setAsking('discard')}>
          {t('Discard')}
        </Button>
      </Group>
      {refreshing.error && <Trouble error={refreshing.error} />}
      {asking === 'publish' && (
        <Confirm
          title={t('Publish this report?')}
          verb={t('Publish')}
          working={publishing.isPending}
          error={publishing.error && messageOf(publishing.error)}
          onClose={() => setAsking(undefined)}
          onConfirm={() => publishing.mutate({ report_id: id, ...(read && { digest: read }) })}
        >
          <Text size="sm">
            {t('It stays as it is then, whatever changes: a correction is a new version. Nobody is told by that alone.')}
          </Text>
        </Confirm>
      )}
      {asking === 'discard' && (
        <Confirm
          title={t('Discard this draft?')}
          verb={t('Discard')}
          working={discarding.isPending}
          error={discarding.error && messageOf(discarding.error)}
          onClose={() => setAsking(undefined)}
          onConfirm={() => discarding.mutate({ report_id: id })}
        >
          <Text size="sm">{t('Its notes go with it.')}</Text>
        </Confirm>
      )}
    </>
  )
}

function Correct({ id }: { id: string }) {
  const [, go] = useLocation()
  const [asking, setAsking] = useState(false)
  const correcting = useDo('reports.correct', (made) => {
    setAsking(false)
    go(`/reports/${made.id}`)
  })
  return (
    <>
      <Group gap="xs" mb="md">
        <Button variant="default" onClick={() => setAsking(true)}>
          {t('Correct it')}
        </Button>
      </Group>
      {asking && (
        <LineDialog
          title={t('Correct this report')}
          label={t('What is otherwise')}
          description={t('The client reads it. This version stays as it is; links lead to the new one once that is published.')}
          verb={t('Begin a new version')}
          working={correcting.isPending}
          error={correcting.error}
          onClose={() => setAsking(false)}
          onLine={(correction) => correcting.mutate({ report_id: id, correction })}
        />
      )}
    </>
  )
}
