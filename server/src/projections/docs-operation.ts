import { type Html, html } from '../kernel/html.ts'
import { curlOf, splitPath } from './command.ts'
import { answerShape, typeName } from './docs-shape.ts'
import { type Entry, failuresOf, fieldsBeside, type JsonSchema, type Manifest } from './manifest.ts'

/** Everything about one operation: words and fields on the left, what to type and what comes back on the right. */
export function operationSection(entry: Entry, problems: Manifest['problems'], baseUrl: string): Html {
  return html`<article id="${entry.name}" aria-labelledby="${entry.name}.title">
<div class="words">
<h2 id="${entry.name}.title"><a href="#${entry.name}">${entry.title}</a></h2>
${entry.http.map((http) => address(http, entry))}
<p>${entry.summary} ${entry.guidance}</p>
<ul class="facts">${facts(entry).map((fact) => html`<li>${fact}</li>`)}</ul>
${fields(entry)}
${failures(entry, problems)}
</div>
<div class="code">
${block('curl', curlOf(entry, baseUrl))}
${entry.command !== undefined && block('svc', entry.command)}
${entry.tool !== undefined && block('Tool', `${entry.tool} ${JSON.stringify(entry.example, null, 2)}`)}
${block(`Answer · ${entry.status}`, answerShape(entry))}
</div>
</article>`
}

function address(http: Entry['http'][number], { action }: Entry): Html {
  const { method, path } = splitPath(http)
  const parts = path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? html`<i>${part}</i>` : part.replaceAll('/', '/\u200b')))
  return html`<p class="address"><b class="method ${method}">${method.toUpperCase()}</b> <code>${parts}</code>${action !== undefined && html` <code class="action">action: ${action}</code>`}</p>`
}

function facts({ scope, effect, idempotent, direct, status, secret, list }: Entry): Html[] {
  return [
    html`<b>${scope}</b> scope`,
    ...(effect === 'read' ? [html`changes nothing`] : []),
    ...(effect === 'destroy' ? [html`<b class="warn">destructive</b>`] : []),
    ...(effect !== 'read' && idempotent ? [html`twice is the same as once`] : []),
    ...(effect !== 'read' && direct ? [html`approval-only tokens may`] : []),
    ...(status === 202 ? [html`starts a job`] : []),
    ...(secret ? [html`the answer is shown once`] : []),
    ...(list ? [html`a list`] : []),
  ]
}

function fields(entry: Entry): Html | false {
  const [home] = entry.http
  if (!home) return false
  const { method, fields: inPath } = splitPath(home)
  const { properties = {} } = entry.input
  const rows = [
    ...inPath.map((name) => field(name, 'path', true, properties[name] ?? {})),
    ...(entry.action ? [field('action', 'body', true, { const: entry.action })] : []),
    ...fieldsBeside(entry, [...inPath, 'action']).map(({ name, required, schema }) =>
      field(name, method === 'post' ? 'body' : 'query', required, schema),
    ),
  ]
  return rows.length > 0 && html`<h3>Fields</h3><dl class="fields">${rows}</dl>`
}

function field(name: string, where: string, required: boolean, schema: JsonSchema): Html {
  const rules = [limits(schema), schema.default !== undefined && `Default ${JSON.stringify(schema.default)}.`].filter(
    (rule) => typeof rule === 'string' && rule !== '',
  )
  return html`<dt><code>${name}</code> <span class="type">${typeName(schema)}</span> <span class="where">${where}</span>${required && html` <span class="required">required</span>`}</dt>
<dd>${schema.description}${rules.length > 0 && html` <span class="rule">${rules.join(' ')}</span>`}</dd>`
}

/** What the schema limits and its description does not say already. */
function limits({ description = '', minLength, maxLength, minimum, maximum, maxItems }: JsonSchema): string {
  if (/at most|up to/i.test(description)) return ''
  const said = [
    typeof minimum === 'number' && `From ${minimum}.`,
    typeof maximum === 'number' && `Up to ${maximum}.`,
    typeof maxLength === 'number' &&
      `${typeof minLength === 'number' && minLength > 0 ? minLength : 'At most'}${typeof minLength === 'number' && minLength > 0 ? ' to' : ''} ${maxLength} characters.`,
    typeof maxItems === 'number' && `At most ${maxItems}.`,
  ]
  return said.filter(Boolean).join(' ')
}

function failures(entry: Entry, problems: Manifest['problems']): Html | false {
  const [home] = entry.http
  if (!home) return false
  const codes = failuresOf(home, [entry]).flatMap((status) => Object.entries(problems).filter(([, problem]) => problem.status === status))
  return html`<details class="failures"><summary>Errors</summary><ul>${codes.map(([code, { status }]) => html`<li><a href="../docs#errors"><code>${status} ${code}</code></a></li>`)}</ul></details>`
}

function block(title: string, text: string): Html {
  return html`<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`
}
