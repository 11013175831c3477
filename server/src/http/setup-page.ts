import { type Html, html } from '../kernel/html.ts'
import { reachInWords } from '../pairing/reach.ts'
import { svcInstalled } from '../projections/command.ts'

export const setupStyle = `
:root { color-scheme: light dark; --ink: #1a2026; --soft: #56616d; --line: #c9d1d9; --page: #fff; --panel: #f5f7f9; --accent: #0b5fb0; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ed; --soft: #9ca8b4; --line: #3a444e; --page: #12171c; --panel: #1a2027; --accent: #7cb8f5; --bad: #ff9a92; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--page); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4rem) 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; letter-spacing: -.01em; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; }
p { margin: .5rem 0; }
.soft, .hint { color: var(--soft); }
.hint { font-size: .9rem; margin: .25rem 0 0; }
label { display: block; font-weight: 600; margin: 1.25rem 0 .3rem; }
input { width: 100%; font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .75rem; }
input[aria-invalid=true] { border-color: var(--bad); }
label.tick { display: flex; gap: .6rem; align-items: baseline; }
label.tick input { width: auto; flex: none; }
.wrong { color: var(--bad); font-size: .95rem; margin: .3rem 0 0; }
button { font: inherit; font-weight: 600; color: var(--page); background: var(--accent); border: 0; border-radius: 8px; padding: .7rem 1.25rem; margin-top: 1.75rem; cursor: pointer; width: 100%; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; margin: .5rem 0; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: .9rem/1.5 ui-monospace, Menlo, Consolas, "Liberation Mono", monospace; }
figure { position: relative; margin: .75rem 0; }
figcaption { color: var(--soft); font-size: .9rem; padding-right: 6rem; }
.copy { position: absolute; top: -.2rem; right: 0; width: auto; min-height: 1.75rem; margin: 0; padding: .1rem .6rem; font-size: .8rem; color: var(--ink); background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
a { color: var(--accent); }
a.go { display: block; text-align: center; text-decoration: none; font-weight: 600; color: var(--page); background: var(--accent); border-radius: 8px; padding: .7rem 1.25rem; margin-top: 1.25rem; }
`

/** `script`: with what gives each figure a button to copy it. */
const page = (title: string, body: Html, script?: Html): string =>
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><link rel="stylesheet" href="/setup.css">${script !== undefined && script}</head><body><main>${body}</main></body></html>`
    .text

export interface Typed {
  email: string
  workspace: string
  /** Whether every site is to be backed up every night. */
  nightly: boolean
}

/** The form; `wrong` says what is the matter with a field, by its name. */
export function formPage(secret: string, typed: Typed, wrong: Record<string, string>): string {
  const field = (name: string, label: string, attributes: Html, hint?: string) => {
    const error = wrong[name]
    const described = error !== undefined ? `${name}-wrong` : hint === undefined ? '' : `${name}-hint`
    return html`<label for="${name}">${label}</label><input id="${name}" name="${name}" required ${attributes} aria-invalid="${error !== undefined ? 'true' : 'false'}" ${described !== '' && html`aria-describedby="${described}"`}>
      ${error !== undefined && html`<p class="wrong" id="${name}-wrong">${error}</p>`}${error === undefined && hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}`
  }
  return page(
    'Set up the service',
    html`<h1>Set up the service</h1><p class="soft">Nobody owns it yet. Whoever sends this form becomes the first owner; the link then works no more.</p>
      <form method="post" action="/setup"><input type="hidden" name="key" value="${secret}">
      ${field('email', 'Your e-mail address', html`type="email" autocomplete="username" maxlength="254" value="${typed.email}"`)}
      ${field('password', 'A password', html`type="password" autocomplete="new-password" minlength="12" maxlength="200"`, 'At least 12 characters. You sign in with it.')}
      ${field('workspace', 'Name of your workspace', html`type="text" maxlength="100" value="${typed.workspace}"`, 'An agency, a team, a person: whose sites these are.')}
      <label class="tick"><input type="checkbox" name="nightly" value="yes" ${typed.nightly && html`checked`}> Back up every site every night</label>
      <p class="hint">In the small hours, UTC. Without it nothing is backed up by itself; it is changed in the dashboard at any time.</p>
      <button>Create the owner</button></form>`,
  )
}

export function closedPage(): string {
  return page(
    'This link is closed',
    html`<h1>This link is closed</h1><p>It was used before, is more than an hour old, or a newer one was printed. While the service has no owner, each start prints a new link; afterwards owners are made with</p><pre>npm run -s admin -- owner create --email you@example.com --workspace "My sites"</pre>`,
  )
}

const figure = (caption: string, text: string) => html`<figure><figcaption>${caption}</figcaption><pre tabindex="0">${text}</pre></figure>`

export function donePage(made: {
  email: string
  workspace: string
  token: string
  code: string
  baseUrl: string
  nightly: string | undefined
}): string {
  const alone = reachInWords(made.baseUrl)
  return page(
    'The service is yours',
    html`<h1>The service is yours</h1><p class="soft">${made.email} owns the workspace “${made.workspace}”. What follows is shown only now.</p>
      <p><a class="go" href="/">Open the dashboard</a></p>
      <h2>Backups</h2><p>${made.nightly ? `Every site is backed up every night, from ${made.nightly} UTC.` : 'No schedule: nothing is backed up by itself. Settings in the dashboard turn it on.'}</p>
      <h2>A token, for programs and agents</h2><p>It may change things (scope <code>write</code>); tokens that only read, or wait for a person’s yes, are made in the dashboard.</p>
      ${figure('The token', made.token)}
      ${figure('For the lines below, in a shell', `export SERVICE_URL=${made.baseUrl}\nexport SERVICE_TOKEN=${made.token}`)}
      ${figure('REST', `curl -s -H "Authorization: Bearer $SERVICE_TOKEN" ${made.baseUrl}/api/v1/sites`)}
      ${figure(svcInstalled.about, svcInstalled.text)}
      ${figure('Then, on the command line', 'svc sites list')}
      ${figure('Claude Code', `claude mcp add --transport http fleet ${made.baseUrl}/api/mcp --header "Authorization: Bearer $SERVICE_TOKEN"`)}
      <h2>Pair the first site</h2><p>Install <a href="/connector/svc-connector.zip">the WordPress plugin</a>, open Settings → Svc Connector, and enter the address of this service and this code within 15 minutes:</p>
      ${figure('Service address', made.baseUrl)}
      ${figure('Connection code', made.code)}
      ${alone !== undefined && html`<p class="hint">${alone}</p>`}<p>Or, in the site’s folder:</p>
      ${figure('With WP-CLI', `wp svc-connector connect --service=${made.baseUrl} --code=${made.code}`)}
      <p>More tokens and codes are made in the dashboard; you are signed in.</p>
      <h2>Read on</h2><p><a href="/docs">What the service can do</a></p>`,
    html`<script src="/docs.js" defer></script>`,
  )
}
