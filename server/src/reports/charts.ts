// Small pictures that print: shapes with their own colours, a title for those who do not see them, no script and no style.
import { type Html, html } from '../kernel/html.ts'

const bad = '#b3261e'
const pale = '#c9d1d9'
const height = 36
const barWidth = 10
const gap = 2
/** A dip of seconds is seen too. */
const leastDip = 5

/** A bar for each day or week: full where the sites were available, with a dark piece as large as the share of the time they were not. */
export function uptimeBars(points: readonly { ratio: number | null }[], title: string): Html {
  const width = points.length * barWidth
  const bars = points.map(({ ratio }, n) => {
    const x = n * barWidth + gap / 2
    const wide = barWidth - gap
    if (ratio === null) return html`<rect x="${x}" y="0.5" width="${wide}" height="${height - 1}" fill="none" stroke="${pale}"/>`
    const dip = ratio < 1 ? Math.max(leastDip, Math.round((1 - ratio) * height)) : 0
    return html`<rect x="${x}" y="${dip}" width="${wide}" height="${height - dip}" class="bar"/>${
      dip > 0 && html`<rect x="${x}" y="0" width="${wide}" height="${dip}" fill="${bad}"/>`
    }`
  })
  return html`<svg class="bars" role="img" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><title>${title}</title>${bars}</svg>`
}

const lineWidth = 120
const lineHeight = 24

/** A line through the values, from the lowest to the highest of them. */
export function course(values: readonly number[], title: string): Html | undefined {
  if (values.length < 2) return undefined
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const place = (value: number, n: number) => {
    const x = 2 + (n * (lineWidth - 4)) / (values.length - 1)
    const y = high === low ? lineHeight / 2 : 2 + ((high - value) * (lineHeight - 4)) / (high - low)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  }
  return html`<svg class="course" role="img" viewBox="0 0 ${lineWidth} ${lineHeight}"><title>${title}</title><polyline class="line" fill="none" stroke-width="1.5" points="${values.map(place).join(' ')}"/></svg>`
}
