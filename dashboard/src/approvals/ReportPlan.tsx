import { Link } from 'wouter'
import type { Output } from '../api.ts'
import { periodOf } from '../reports/period.ts'
import { sectionNames } from '../reports/tell.ts'
import { T, t } from '../text.ts'

/** What a client would read of a report that is published: how it begins, and what people noted. */
export function ReportPlan({ report }: { report: Partial<Output<'reports.publish'>> }) {
  const { id, client_name, first_day, last_day, summary = [], notes = [], shown = [], correction } = report
  return (
    <>
      <p>
        <T
          message="The report for {client} on {period} is frozen as it is now. Nobody is told; links and mails lead to it then, and it is corrected by a new version only."
          client={<b>{client_name}</b>}
          period={<b>{first_day && last_day && periodOf({ first_day, last_day })}</b>}
        />
      </p>
      {correction && (
        <blockquote className="said">
          <cite>{t('What it corrects:')}</cite>
          {correction}
        </blockquote>
      )}
      {summary.length > 0 && (
        <>
          <p>
            <b>{t('How it begins')}</b>
          </p>
          <ul>
            {summary.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      )}
      {notes.length > 0 && (
        <>
          <p>
            <b>{t('Notes for the client')}</b>
          </p>
          {notes.map(({ section, text, by }) => (
            <blockquote className="said notes" key={section}>
              <cite>
                {t('{section}, by {name}', { section: section === 'summary' ? t('At the top') : sectionNames[section], name: by.name })}
              </cite>
              {text}
            </blockquote>
          ))}
        </>
      )}
      {shown.length > 0 && <p>{t('It tells of: {sections}.', { sections: shown.map((each) => sectionNames[each]).join(', ') })}</p>}
      {id && (
        <p>
          <Link href={`/reports/${id}`}>{t('Read the whole report')}</Link>
        </p>
      )}
    </>
  )
}

/** A mail with a report, and who gets it. */
export function ReportMail({ to, mail }: { to: string[]; mail: { subject: string; text: string } | undefined }) {
  return (
    <>
      <p>
        <T message="This mail goes to {to}. What was sent cannot be taken back." to={<b>{to.join(', ')}</b>} />
      </p>
      {mail && (
        <blockquote className="said notes">
          <cite>{mail.subject}</cite>
          {mail.text}
        </blockquote>
      )}
    </>
  )
}
