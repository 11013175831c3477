/** Text that is already HTML. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | false | undefined | readonly Part[]

/** A template whose gaps are escaped; only Html goes in as it is. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]) =>
  new Html(texts.map((text, i) => text + (i < parts.length ? show(parts[i]) : '')).join(''))

function show(part: Part): string {
  if (part === false || part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(show).join('')
  return String(part).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
