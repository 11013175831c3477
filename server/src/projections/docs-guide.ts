import { type Html, html } from '../kernel/html.ts'
import { curlOf, svcInstalled, svcName } from './command.ts'
import { type Entry, type Manifest, wholeList } from './manifest.ts'

/** What holds for every operation, before the list of them. */
export function guide(operations: readonly Entry[], problems: Manifest['problems'], baseUrl: string): Html {
  return html`<section class="guide" aria-labelledby="start">
<h1 id="start">One fleet of sites, three ways in</h1>
<p class="lead">REST for programs, tools for agents, <code>svc</code> for the shell. They do the same things, under the same token and the same checks.</p>
${firstSteps(operations, baseUrl)}
</section>
<section class="guide" aria-labelledby="rules"><h2 id="rules">Rules</h2>
<dl class="rules">
<dt>Address</dt><dd>Everything is under <code>${baseUrl}/api/v1</code>. JSON, <code>snake_case</code>, times in UTC as RFC 3339.</dd>
<dt>Token</dt><dd>Every request carries <code>Authorization: Bearer svc_…</code>. The scope <code>read</code> looks; <code>write</code> also changes things.</dd>
<dt>Lists</dt><dd>A list is a bare array; with <code>Accept: ${wholeList}</code> it is an object that also has what stands beside it: counts, trends, how fresh it is. <code>X-Total-Count</code> says how many there are, 10001 where there are more than 10,000; <code>Link: &lt;…&gt;; rel="next"</code> leads to the next page. A cursor is for the list, the filters and the workspace it came from.</dd>
<dt>Notices</dt><dd><code>Svc-Notice</code> says in sentences what was taken for granted of the input and, with a list, what nobody looked at: where nobody looked, an empty list is not “none”.</dd>
<dt>Repeats</dt><dd>Send an <code>Idempotency-Key</code> with a POST: repeated within 24 hours it does nothing again and gives the first answer, marked <code>Idempotent-Replayed: true</code>.</dd>
<dt>Jobs</dt><dd>What lasts longer than a request answers <code>202</code> with a <code>job_id</code> and a <code>Location</code> to follow.</dd>
<dt>Unchanged</dt><dd>Reads carry an <code>ETag</code>; sent back as <code>If-None-Match</code> it brings <code>304</code> while nothing changed.</dd>
<dt>Limits</dt><dd><code>RateLimit</code> says what is left; <code>429</code> says in <code>Retry-After</code> when to come back.</dd>
<dt>Spelling</dt><dd>A field that does not exist, stands twice, or stands in the query where it belongs into the body, is an error that names it; nothing is ignored in silence but <code>plugins</code> beside another <code>action</code> than <code>update</code>, where it means nothing.</dd>
</dl></section>
<section class="guide" aria-labelledby="agents"><h2 id="agents">Agents</h2>
<p>The tool server speaks the Model Context Protocol at <code>${baseUrl}/api/mcp</code> with the same token:</p>
<figure><figcaption>Agent configuration</figcaption><pre tabindex="0"><code>${agentConfiguration(baseUrl)}</code></pre></figure>
<p>Hosts that only start local commands use a small package. It is on no registry yet, and whatever is found there under a name like it is not ours and would get the token: in a clone of the repository <code>npm pack -w mcp</code> makes the file, and the command is <code>npx -y file:/where/it/is/service-mcp-0.1.0.tgz</code> with <code>SERVICE_URL</code> and <code>SERVICE_TOKEN</code> in its environment.</p>
</section>
<section class="guide" aria-labelledby="errors"><h2 id="errors">Errors</h2>
<p>An error is <code>application/problem+json</code> with a stable <code>code</code>, words in <code>detail</code>, what to do in <code>next</code>, and <code>errors</code> naming fields where they are at fault. What a site did wrong never has the code of something we did wrong, and what it said itself stands under <code>site_said</code>, marked <code>untrusted</code>, never in <code>detail</code>.</p>
<table class="codes"><thead><tr><th scope="col">Code</th><th scope="col">HTTP</th><th scope="col"><code>svc</code> exit</th><th scope="col">Again</th><th scope="col">Meaning</th><th scope="col">What next</th></tr></thead>
<tbody>${Object.entries(problems).map(
    ([code, { status, exit, title, retryable, next }]) =>
      html`<tr><th scope="row"><code>${code}</code></th><td data-label="HTTP">${status}</td><td data-label="exit">${exit}</td><td data-label="again">${retryable ? 'may help' : 'no use'}</td><td class="wide">${title}</td><td class="wide">${next}</td></tr>`,
  )}</tbody></table></section>`
}

function firstSteps(operations: readonly Entry[], baseUrl: string): Html | false {
  const first = operations.find(({ effect, list }) => effect === 'read' && list)
  if (!first) return false
  const plain = { ...first, example: {} }
  return html`<figure><figcaption>In a shell</figcaption><pre tabindex="0"><code>export SERVICE_URL=${baseUrl}
export SERVICE_TOKEN=svc_…

${curlOf(plain, baseUrl)}</code></pre></figure>
<figure><figcaption>${svcInstalled.about}</figcaption><pre tabindex="0"><code>${svcInstalled.text}

${svcName(first.name)}</code></pre></figure>`
}

function agentConfiguration(baseUrl: string): string {
  const fleet = { type: 'http', url: `${baseUrl}/api/mcp`, headers: { Authorization: 'Bearer svc_…' } }
  return JSON.stringify({ mcpServers: { fleet } }, null, 2)
}
