// A line over time, drawn by few lines of our own: with gaps where nobody measured, marks where something was done, and the same as a table.
import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import { locale } from '../language.ts'
import { t } from '../text.ts'
import { inFull } from '../words.ts'

export interface Point {
  at: string
  value: number | null
}
export interface Mark {
  at: string
  words: string
}

interface ChartParts {
  points: Point[]
  /** A value in words. */
  say: (value: number) => string
  /** What it says at a glance, for whoever does not see it. */
  label: string
  marks?: Mark[]
  /** Milliseconds between two points above which nobody looked. */
  gapMs: number
}

const [height, left, right, top, bottom] = [190, 62, 12, 10, 24]
/** Until it is known how wide it may be, and at least. */
const least = 280
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })

/** A round number at or above. */
function roundUp(value: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * step).find((each) => each >= value) ?? 10 * step
}

export function Chart({ points, say, label, marks = [], gapMs }: ChartParts) {
  const { ref, width: measured } = useElementSize()
  const width = Math.max(measured, least)
  const [near, setNear] = useState<Point>()
  const known = points.filter((point): point is Point & { value: number } => point.value !== null)
  const [from, to] = [Date.parse(known[0]?.at ?? ''), Date.parse(known.at(-1)?.at ?? '')]
  const most = roundUp(Math.max(...known.map(({ value }) => value)))
  const inner = Math.max(50, width - left - right)
  const x = (at: string) => left + ((Date.parse(at) - from) / Math.max(1, to - from)) * inner
  const y = (value: number) => top + (1 - value / most) * (height - top - bottom)
  const path = known.map((point, index) => {
    const before = known[index - 1]
    const joined = before && Date.parse(point.at) - Date.parse(before.at) <= gapMs
    return `${joined ? 'L' : 'M'}${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`
  })
  const ticks = Math.max(2, Math.min(7, Math.floor(inner / 110)))
  const timeFormat = to - from > 3 * 86_400_000 ? day : hour
  // Each day or minute is said once.
  const times = Array.from({ length: ticks }, (_, n) => ({ n, says: timeFormat.format(from + ((to - from) * n) / (ticks - 1)) })).filter(
    ({ says }, n, all) => says !== all[n - 1]?.says,
  )
  const showNearest = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const at = clientX - currentTarget.getBoundingClientRect().left
    setNear(known.toSorted((a, b) => Math.abs(x(a.at) - at) - Math.abs(x(b.at) - at))[0])
  }
  return (
    <figure className="plot" ref={ref}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={label}
        onPointerMove={showNearest}
        onPointerLeave={() => setNear(undefined)}
      >
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line x1={left} x2={width - right} y1={y(most * part)} y2={y(most * part)} className="grid" />
            <text x={left - 8} y={y(most * part) + 4} textAnchor="end">
              {say(most * part)}
            </text>
          </g>
        ))}
        {times.map(({ n, says }) => (
          <text
            key={n}
            x={left + (inner * n) / (ticks - 1)}
            y={height - 6}
            textAnchor={n === 0 ? 'start' : n === ticks - 1 ? 'end' : 'middle'}
          >
            {says}
          </text>
        ))}
        {marks
          .filter(({ at }) => Date.parse(at) >= from && Date.parse(at) <= to)
          .map(({ at, words }) => (
            <line key={`${at} ${words}`} x1={x(at)} x2={x(at)} y1={top} y2={height - bottom} className="mark">
              <title>{`${words}, ${inFull(at)}`}</title>
            </line>
          ))}
        <path d={path.join('')} />
        {known.length <= 60 && known.map(({ at, value }) => <circle key={at} cx={x(at)} cy={y(value)} r={near?.at === at ? 5 : 3} />)}
      </svg>
      <figcaption className="soft" aria-hidden={near !== undefined}>
        {near?.value != null ? `${inFull(near.at)}: ${say(near.value)}` : label}
      </figcaption>
      <details>
        <summary className="soft">{t('As a table')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <section className="tall" aria-label={t('Measured values: {label}', { label })} tabIndex={0}>
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">{t('When')}</th>
                <th scope="col">{t('Value')}</th>
              </tr>
            </thead>
            <tbody>
              {points.toReversed().map(({ at, value }) => (
                <tr key={at}>
                  <td>{inFull(at)}</td>
                  <td>{value === null ? t('not known') : say(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  )
}
