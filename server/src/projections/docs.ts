import { type Html, html } from '../kernel/html.ts'
import { splitPath } from './command.ts'
import { guide } from './docs-guide.ts'
import { operationSection } from './docs-operation.ts'
import { style } from './docs-style.ts'
import { type Entry, forTokens, type Manifest } from './manifest.ts'

/** The page at /docs and its style at /docs.css. No script, nothing from elsewhere. */
export function docs(manifest: Manifest, baseUrl: string): { html: string; css: string } {
  const { operations, problems } = forTokens(manifest)
  const groups = Map.groupBy(operations, ({ name }) => name.slice(0, name.indexOf('.')))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Site fleet service</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><a href="#content" class="brand">Site fleet service</a><span>API reference</span><a href="api/v1/openapi.json" class="spec">OpenAPI</a></header>
<div class="frame">
<details class="menu"><summary>Contents</summary>${contents(groups, 'Contents, folded')}</details>
<div class="side">${contents(groups, 'Contents')}</div>
<main id="content" tabindex="-1">
${guide(operations, problems, baseUrl)}
${[...groups].map(([noun, entries]) => group(noun, entries, problems, baseUrl))}
</main>
</div>
</body>
</html>
`
  return { html: page.text, css: style }
}

const titled = (noun: string) => noun.charAt(0).toUpperCase() + noun.slice(1).replaceAll('_', ' ')

function contents(groups: Map<string, Entry[]>, label: string): Html {
  const guides = [
    ['start', 'First steps'],
    ['rules', 'Rules'],
    ['agents', 'Agents'],
    ['errors', 'Errors'],
  ] as const
  return html`<nav aria-label="${label}"><ul>
<li><span class="noun">Guide</span><ul>${guides.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></li>
${[...groups].map(([noun, entries]) => html`<li><span class="noun">${titled(noun)}</span><ul>${entries.map(link)}</ul></li>`)}
</ul></nav>`
}

function link({ name, title, http: [home] }: Entry): Html {
  const method = home ? splitPath(home).method : ''
  return html`<li><a href="#${name}">${title}<b class="method ${method}">${method.toUpperCase()}</b></a></li>`
}

function group(noun: string, entries: Entry[], problems: Manifest['problems'], baseUrl: string): Html {
  return html`<section class="group" aria-labelledby="${noun}"><h2 id="${noun}">${titled(noun)}</h2>
${entries.map((entry) => operationSection(entry, problems, baseUrl))}
</section>`
}
