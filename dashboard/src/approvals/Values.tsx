import { t } from '../text.ts'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A word of the contract, told as it was given. */
const isCode = (value: unknown): value is string => typeof value === 'string' && /^[a-z]+(?:_[a-z]+)+$/.test(value)

/** What somebody gave, each field by its name. */
export const Values = ({ of }: { of: Record<string, unknown> }) => (
  <dl className="facts">
    {Object.entries(of).map(([name, value]) => (
      <div key={name} style={{ display: 'contents' }}>
        <dt>
          <code>{name}</code>
        </dt>
        <dd>
          <Value of={value} />
        </dd>
      </div>
    ))}
  </dl>
)

function Value({ of }: { of: unknown }) {
  if (of === null || of === undefined || of === '') return t('none')
  if (typeof of === 'boolean') return of ? t('yes') : t('no')
  if (typeof of !== 'object') return isCode(of) ? <code>{of}</code> : String(of)
  if (Array.isArray(of) && of.length === 0) return t('none')
  if (Array.isArray(of) && of.every((each) => typeof each !== 'object'))
    return Object.entries(of).map(([place, each]) => (
      <span key={place}>
        {place !== '0' && ', '}
        <Value of={each} />
      </span>
    ))
  return (
    <ul className="within">
      {Object.entries(of).map(([name, value]) => (
        <li key={name}>
          {isRecord(of) && <code>{name}: </code>}
          <Value of={value} />
        </li>
      ))}
    </ul>
  )
}
