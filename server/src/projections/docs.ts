import { type Html, html } from '../kernel/html.ts'
import { problems } from '../kernel/problem.ts'
import { splitPath } from './command.ts'
import { guide } from './docs-guide.ts'
import { operationSection } from './docs-operation.ts'
import { script } from './docs-script.ts'
import { style } from './docs-style.ts'
import { type Entry, forTokens, type Manifest } from './manifest.ts'

export interface Docs {
  /** What makes each, by their paths: /docs is the guide, and each capability has one below it. */
  pages: Record<string, () => string>
  css: string
  script: string
}

type Groups = Map<string, Entry[]>

/** The pages from /docs on, their style and their one script. Nothing from elsewhere. */
export function docs(manifest: Manifest, baseUrl: string): Docs {
  const { operations, problems } = forTokens(manifest)
  const groups = Map.groupBy(operations, ({ name }) => name.slice(0, name.indexOf('.')))
  const start = () => frame(groups, { up: '', title: 'API reference' }, html`${guide(operations, problems, baseUrl)}${overview(groups)}`)
  const others = [...groups].map(([noun, entries]) => [
    `/docs/${noun}`,
    () => frame(groups, { up: '../', title: titled(noun) }, group(noun, entries, problems, baseUrl)),
  ])
  return { pages: { '/docs': start, ...Object.fromEntries(others) }, css: style, script }
}

/** `up` leads from the page to where /docs is. */
function frame(groups: Groups, { up, title }: { up: string; title: string }, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Site fleet service</title>
<link rel="stylesheet" href="${up}docs.css">
<script src="${up}docs.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><a href="${up}docs" class="brand">Site fleet service</a><span>API reference</span><a href="${up}api/v1/openapi.json" class="spec">OpenAPI</a></header>
<div class="frame">
<details class="menu"><summary>Contents</summary>${contents(groups, up, 'Contents, folded')}</details>
<div class="side">${contents(groups, up, 'Contents')}</div>
<main id="content" tabindex="-1">
${content}
</main>
</div>
</body>
</html>
`.text
}

const titled = (noun: string) => noun.charAt(0).toUpperCase() + noun.slice(1).replaceAll('_', ' ')

/** Where in the guide what is told, and the words by which it is found. */
const guides = [
  ['start', 'First steps', 'curl shell token'],
  ['rules', 'Rules', 'address token lists pages cursor repeats idempotency jobs etag limits 429'],
  ['agents', 'Agents', 'mcp stdio claude cursor tools'],
  [
    'errors',
    'Errors',
    `codes exit retry ${Object.entries(problems)
      .flatMap(([code, { status }]) => [code, status])
      .join(' ')}`,
  ],
] as const

function contents(groups: Groups, up: string, label: string): Html {
  return html`<div class="find" role="search" hidden><label>Search <input type="search" autocomplete="off" placeholder="backup, PHP, 429 …"></label><p role="status"></p></div><nav aria-label="${label}"><ul>
<li><span class="noun">Guide</span><ul>${guides.map(([id, title, words]) => html`<li data-find="${words}"><a href="${up}docs#${id}">${title}</a></li>`)}</ul></li>
${[...groups].map(([noun, entries]) => html`<li><a class="noun" href="${up}docs/${noun}">${titled(noun)}</a><ul>${entries.map((entry) => link(entry, noun, up))}</ul></li>`)}
</ul></nav>`
}

/** With the words by which it is found. */
function link({ name, title, summary, tool, http: [home], input }: Entry, noun: string, up: string): Html {
  const method = home ? splitPath(home).method : ''
  const words = [name, summary, tool ?? '', home ?? '', ...Object.keys(input.properties ?? {})].join(' ').toLowerCase()
  return html`<li data-find="${words}"><a href="${up}docs/${noun}#${name}">${title}<b class="method ${method}">${method.toUpperCase()}</b></a></li>`
}

function overview(groups: Groups): Html {
  return html`<section class="guide" aria-labelledby="all"><h2 id="all">What there is</h2><dl class="rules">
${[...groups].map(([noun, entries]) => html`<dt><a href="docs/${noun}">${titled(noun)}</a></dt><dd>${entries.map(({ title }) => title).join(' · ')}</dd>`)}
</dl></section>`
}

function group(noun: string, entries: Entry[], problems: Manifest['problems'], baseUrl: string): Html {
  return html`<section class="group" aria-labelledby="${noun}"><h1 id="${noun}">${titled(noun)}</h1>
${entries.map((entry) => operationSection(entry, problems, baseUrl))}
</section>`
}
