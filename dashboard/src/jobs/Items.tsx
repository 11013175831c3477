import { t } from '../text.ts'
import { SiteSaid, State, type Tone } from '../ui/parts.tsx'
import { plainly } from '../words.ts'
import type { ItemDone } from './item-done.ts'

const tones: Record<string, Tone> = { updated: 'good', already_current: 'good', rolled_back: 'warn', failed: 'bad' }

/** What an update did, item by item. */
export const Items = ({ items }: { items: readonly ItemDone[] }) => (
  <section className="card wide">
    <h2>{t('What was updated')}</h2>
    <table className="rows stack">
      <thead>
        <tr>
          <th scope="col">{t('Item')}</th>
          <th scope="col">{t('Versions')}</th>
          <th scope="col">{t('What came of it')}</th>
          <th scope="col">{t('Why')}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ type, slug, name, from_version, to_version, status, reason, site_said }) => (
          <tr key={`${type} ${slug}`}>
            <td>
              <b>{name || slug}</b> <span className="soft">{plainly(type)}</span>
            </td>
            <td data-label={t('Versions')}>
              {from_version} → {to_version}
            </td>
            <td>
              <State tone={tones[status] ?? 'unknown'}>{plainly(status)}</State>
            </td>
            <td data-label={t('Why')} className="whole">
              {reason ?? '–'}
              <SiteSaid text={site_said?.text} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
