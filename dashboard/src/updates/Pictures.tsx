import { T, t } from '../text.ts'
import { amid } from '../words.ts'

type Verdict = 'alike' | 'unlike' | 'blank' | 'unknown' | 'not_taken'

/** What of an item of an update job is shown here. */
export interface Pictured {
  name: string
  to_version: string
  pictures?: { verdict: Verdict; likeness: number | null; reason: string | null; before: string | null; after: string | null } | null
}

const verdicts: Record<Verdict, string> = {
  alike: t('It looks as before.'),
  unlike: t('It looks like another page, so the update was taken back.'),
  blank: t('Nothing is to be seen any more, so the update was taken back.'),
  unknown: t('Whether it looks as before is not known.'),
  not_taken: t('No pictures were taken.'),
}

/** The front page before an update and after it, side by side. */
export function Pictures({ items }: { items: readonly Pictured[] }) {
  return (
    <section className="card wide">
      <h2>{t('The front page in a browser')}</h2>
      {items.map(({ name, to_version, pictures }) => (
        <div key={`${name} ${to_version}`}>
          <p>
            {name} {to_version}: {verdicts[pictures?.verdict ?? 'unknown']} {pictures?.reason}
            {pictures?.likeness != null && pictures.verdict !== 'blank' && (
              <span className="soft">
                <T message="{value} % of what was drawn is still there." value={Math.round(100 * pictures.likeness)} />
              </span>
            )}
          </p>
          <div className="pair">
            <Picture at={pictures?.before} when={t('Before')} name={name} />
            <Picture at={pictures?.after} when={t('After')} name={name} />
          </div>
        </div>
      ))}
      <p className="soft">{t('Pictures are kept for 30 days.')}</p>
    </section>
  )
}

function Picture({ at, when, name }: { at: string | null | undefined; when: string; name: string }) {
  if (!at) return null
  return (
    <figure>
      <figcaption className="soft">{when}</figcaption>
      <a href={at} aria-label={t('Download the picture: {when} the update of {name}', { when: amid(when), name })}>
        <img
          src={at}
          alt={t('The front page {when} the update of {name}', { when: amid(when), name })}
          width={1280}
          height={1200}
          loading="lazy"
        />
      </a>
    </figure>
  )
}
