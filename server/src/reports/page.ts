// A report as one page: everything is in it, nothing is asked for, and nothing in it runs.
import { hash } from 'node:crypto'
import { type Section, sections } from '../clients/schema.ts'
import { Html, html } from '../kernel/html.ts'
import type { Facts } from './facts.ts'
import { inShort, type Sentence } from './in-short.ts'
import { type Language, languageOf } from './language.ts'
import { plainLines, plainText } from './plain.ts'
import type { Note, Place } from './schema.ts'
import { contentOf, meantBy } from './sections.ts'
import { styleOf } from './style.ts'

/** How it looks and whose it is. */
export interface Appearance {
  client: string
  sender: string
  language: string
  time_zone: string
  colour: string
  paper: string
  logo: { type: string; bytes: Buffer } | undefined
  /** undefined: it does not say what it was made with. */
  product: string | undefined
}

export interface Content {
  facts: Facts
  notes: readonly Note[]
  hidden: readonly Section[]
  version: number
  correction: string | null
  isDraft: boolean
}

/** The sections that have something to tell, and are not hidden. */
function shownOf({ facts, notes, hidden }: Content, appearance: Appearance): Section[] {
  const language = languageOf(appearance.language, appearance.time_zone)
  const shows = (section: Section) => !hidden.includes(section)
  const noted = (section: Section) => notes.some((note) => note.section === section)
  return sections.filter((section) => shows(section) && (noted(section) || contentOf[section](facts, language, shows) !== undefined))
}

/** Its first sentences. */
const summaryOf = ({ facts, hidden }: Content, appearance: Appearance): Sentence[] =>
  inShort(facts, languageOf(appearance.language, appearance.time_zone), (section) => !hidden.includes(section))

function titleOf({ facts }: Pick<Content, 'facts'>, appearance: Appearance): string {
  const { say } = languageOf(appearance.language, appearance.time_zone)
  return `${say('title', { client: plainText(appearance.client) })}, ${periodOf(facts, languageOf(appearance.language, appearance.time_zone))}`
}

function periodOf({ from, to }: Facts, { say, day }: Language): string {
  const last = new Date(new Date(to).getTime() - 1).toISOString()
  return say('period', { from: day(from), to: day(last) })
}

/** What is said of a report beside its page: in mails, and to whoever asks for it. A published one keeps it. */
export interface ReportSummary {
  look: Omit<Appearance, 'logo'>
  title: string
  shown: Section[]
  summary: string[]
}

export function summarize(content: Content, { logo: _, ...appearance }: Appearance): ReportSummary {
  const whole = { ...appearance, logo: undefined }
  return {
    look: appearance,
    title: titleOf(content, whole),
    shown: shownOf(content, whole),
    summary: summaryOf(content, whole).map(({ text }) => text),
  }
}

export function pageOf(content: Content, appearance: Appearance): string {
  const { facts, notes, hidden, version, correction, isDraft } = content
  const language = languageOf(appearance.language, appearance.time_zone)
  const { say } = language
  const shows = (section: Section) => !hidden.includes(section)
  const style = styleOf(appearance.colour, appearance.paper)
  const noteOf = (place: Place) => notes.find(({ section }) => section === place)
  const body = sections.filter(shows).flatMap((section) => {
    const made = contentOf[section](facts, language, shows)
    const note = noteOf(section)
    if (made === undefined && note === undefined) return []
    return [
      {
        section,
        part: html`<section id="${section}"><div class="head"><h2>${say(section)}</h2>${made && about(section, language)}</div>${noted(note, language)}${made}</section>
`,
        meant: made === undefined ? [] : meantBy(section, shows),
      },
    ]
  })
  const title = titleOf(content, appearance)
  const summary = summaryOf(content, appearance)
  const meant = new Set([...body.flatMap((part) => part.meant), ...summary.map(({ section }) => section)])
  return html`<!doctype html>
<html lang="${appearance.language}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policyFor(style)}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow, noarchive"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Html(style)}</style></head>
<body><main>${isDraft && html`<p class="draft">${say('draft')}</p>`}
<header><div><h1>${say('title', { client: plainText(appearance.client) })}</h1><p>${periodOf(facts, language)}</p><p class="soft">${say('from', { sender: plainText(appearance.sender) })}</p></div>${logoOf(appearance)}</header>
${version > 1 && html`<p class="note">${say('version', { n: version, why: plainText(correction ?? '', 500) })}</p>`}
<section id="summary"><h2>${say('summary')}</h2>${noted(noteOf('summary'), language)}<ul class="short">${summary.map(
    ({ section, text }) => html`<li>${section === undefined ? text : html`<a href="#def-${section}">${text}</a>`}</li>
`,
  )}</ul></section>
${body.map(({ part }) => part)}
<section id="definitions"><h2>${say('definitions')}</h2><dl>${sections
    .filter((section) => meant.has(section))
    .map(
      (section) => html`<dt id="def-${section}">${say(section)}</dt><dd>${say(`def.${section}`)}</dd>
`,
    )}</dl></section>
<footer><p>${say('made_at', { at: language.moment(facts.made_at) })}${appearance.product !== undefined && html` · ${say('product', { product: appearance.product })}`}</p></footer>
</main></body></html>
`.text
}

const about = (section: Section, { say }: Language) => html`<a class="about" href="#def-${section}">${say('definition')}</a>`

const noted = (note: Note | undefined, { say }: Language) =>
  note &&
  html`<div class="note" role="note" aria-label="${say('note')}">${plainLines(note.text).map((line) => html`<p dir="auto">${line}</p>`)}</div>`

const logoOf = ({ logo }: Appearance) => logo && html`<img alt="" src="data:${logo.type};base64,${logo.bytes.toString('base64')}">`

const policyFor = (style: string) =>
  `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; img-src data:; base-uri 'none'; form-action 'none'`

/** What a page like this may do, for whoever sends it: nothing but look like itself. */
export function policyOf(page: string): string {
  const style = page.slice(page.indexOf('<style>') + '<style>'.length, page.indexOf('</style>'))
  return policyFor(style)
}
