// The mail that brings a report: readable as text and without pictures.
import { html } from '../kernel/html.ts'
import { languageOf } from './language.ts'
import type { ReportSummary } from './page.ts'
import { plainText, unlinked } from './plain.ts'

export interface Words {
  subject: string
  text: string
  html: string
}

/** Its one link is ours: what looks like an address in a name or a sentence is none that a mail client follows. `link` undefined: where it would stand, for a look at a draft. */
export function wordsOf(
  { told: { look, title: subject, summary }, version, correction }: { told: ReportSummary; version: number; correction: string | null },
  link: { url: string; expiresAt: Date } | undefined,
): Words {
  const { say, day } = languageOf(look.language, look.time_zone)
  const title = unlinked(subject)
  const sentences = summary.map(unlinked)
  const sender = unlinked(plainText(look.sender))
  const url = link?.url ?? '…'
  const until = link ? say('mail.until', { at: day(link.expiresAt.toISOString()) }) : ''
  const corrects = version > 1 ? [say('version', { n: version, why: unlinked(plainText(correction ?? '', 500)) })] : []
  const text = [
    title,
    '',
    ...corrects.flatMap((line) => [line, '']),
    ...sentences.map((sentence) => `- ${sentence}`),
    '',
    `${say('mail.read')}:`,
    url,
    until,
    '',
    sender,
    '',
  ].join('\n')
  const body = html`<!doctype html><html lang="${look.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="margin:0;padding:24px;background:#fff;color:#1a2026;font:16px/1.5 Arial,sans-serif"><div style="max-width:560px;margin:0 auto">
<h1 style="font-size:20px;line-height:1.3;border-bottom:3px solid ${look.colour};padding-bottom:12px">${title}</h1>${corrects.map((line) => html`<p>${line}</p>`)}
<ul style="padding-left:20px">${sentences.map(
    (sentence) => html`<li style="margin:4px 0">${sentence}</li>
`,
  )}</ul>
<p>${link === undefined ? say('mail.read') : html`<a href="${link.url}" style="color:#0b5fb0;font-weight:bold">${say('mail.read')}</a>`}</p>
<p style="color:#56616d;font-size:14px">${until}</p><p>${sender}</p></div></body></html>
`
  return { subject, text, html: body.text }
}
