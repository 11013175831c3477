// The tweaks of a fake site: verbs (connector/PROTOCOL.md §7), and what a visitor meets.
import { TweakId, tweakIds } from '../src/tweaks/schema.ts'
import { type FakeAnswer, type FakeCall, failure } from './fake-data.ts'
import type { FakeState } from './fake-state.ts'
import type { FakeTweaks } from './fake-tweaks-state.ts'

const RULES = ['directory_listing_off', 'uploads_php_off', 'readme_blocked']
const INSIDE = ['file_editor_off', 'ssl_admin_forced', 'login_limited', 'debug_display_off', 'salts_rotated']

type Verb = (state: FakeState, call: FakeCall) => FakeAnswer

export const TWEAK_WRITES = ['tweaks.try', 'tweaks.apply', 'tweaks.revert', 'tweaks.confirm']
export const TWEAK_VERBS: Record<string, Verb> = {
  'tweaks.list': ({ tweaks }) => ({
    result: { server: tweaks.server, uploads: '/wp-content/uploads/', items: tweakIds.map((id) => item(tweaks, id)) },
  }),
  'tweaks.try': ordered(({ tweaks }, { params, siteUrl }) => {
    tweaks.trial = params.end === true ? undefined : String(params.id)
    return { result: { url: params.end === true ? '' : `${siteUrl}/wp-content/uploads/svc-connector-probe-0/` } }
  }),
  'tweaks.apply': ordered((state, { params, requestId }) => {
    const id = String(params.id)
    const { obstacle } = item(state.tweaks, id)
    if (obstacle !== '') return { result: { status: 'refused', reason: obstacle, armed: false } }
    state.tweaks.on.add(id)
    state.effects.push({ verb: 'tweaks.apply', requestId, params })
    return { result: { status: 'applied', reason: '', armed: RULES.includes(id) || id === 'salts_rotated' } }
  }),
  'tweaks.revert': ordered((state, { params, requestId }) => {
    const was = state.tweaks.on.delete(String(params.id))
    if (was) state.effects.push({ verb: 'tweaks.revert', requestId, params })
    return { result: { status: was ? 'reverted' : 'already', reason: '' } }
  }),
  'tweaks.confirm': ordered(() => ({ result: { kept: true } })),
}

function item({ on, broken, others, server, obstacle }: FakeTweaks, id: string) {
  const works = on.has(id) && !broken.has(id)
  return {
    id,
    on: on.has(id),
    holds: INSIDE.includes(id) ? works || others.has(id) : null,
    others: INSIDE.includes(id) ? others.has(id) : null,
    by: others.get(id) ?? '',
    obstacle: obstacle || (RULES.includes(id) && server === 'nginx' ? 'The web server does not read .htaccess files.' : ''),
  }
}

function ordered(verb: Verb): Verb {
  return (state, call) => {
    const { job, fence, id } = call.params as { job: string; fence: number; id: string }
    const { fences } = state.tweaks
    if (fence < (fences.get(job) ?? 0)) return failure('fence', 'A later attempt of this job has been here.')
    fences.set(job, fence)
    return TweakId.safeParse(id).success ? verb(state, call) : failure('bad_request', 'There is no such tweak.')
  }
}

type Page = { status: number; text: string; headers?: Record<string, string> }

/** What a visitor meets at an address that attackers know; undefined at all others. */
export function attackedPage({ name, tweaks, wpVersion }: FakeState, method: string, url: string, body: string): Page | undefined {
  const holds = (id: string) => (tweaks.on.has(id) && !tweaks.broken.has(id)) || tweaks.others.has(id)
  const path = url.replace(/[?&]svc-connector-look=\w+/, '')
  if (path === '/xmlrpc.php' && method === 'POST') {
    if (holds('xmlrpc_off')) return { status: 403, text: '' }
    if (body.includes('pingback.ping'))
      return { status: 200, text: `<methodResponse><int>${holds('pingbacks_off') ? -32601 : 0}</int></methodResponse>` }
    return { status: 200, text: '<methodResponse>system.multicall</methodResponse>' }
  }
  if (path === '/?author=1')
    return holds('user_enumeration_off') ? { status: 404, text: '' } : { status: 301, text: '', headers: { location: '/author/admin/' } }
  if (path === '/readme.html')
    return holds('readme_blocked') ? { status: 403, text: '' } : { status: 200, text: '<title>WordPress ReadMe</title>' }
  if (path === '/wp-includes/' || path === '/wp-content/uploads/')
    return holds('directory_listing_off') ? { status: 403, text: '' } : { status: 200, text: '<title>Index of /</title>' }
  if (path.startsWith('/wp-content/uploads/svc-connector-probe-0/'))
    return trialPage(tweaks, path.slice('/wp-content/uploads/svc-connector-probe-0/'.length))
  if (path.startsWith('/wp-content/uploads/')) return { status: path.endsWith('.php') && holds('uploads_php_off') ? 403 : 404, text: '' }
  if (path === '/wp-json/')
    return {
      status: 200,
      text: JSON.stringify({ authentication: holds('application_passwords_off') ? {} : { 'application-passwords': {} } }),
    }
  if (/^\/(license\.txt|wp-json(?!\/wp\/v2\/types|\/\?_fields)|wp-sitemap(?!\.xml\?svc-)|\?rest_route(?!=\/wp\/v2\/types))/.test(path))
    return { status: 404, text: '' }
  if (path === '/wp-login.php') return { status: 200, text: holds('ssl_admin_forced') ? 'Elsewhere' : '<input name="pwd">' }
  if (path !== '/') return undefined
  const headers = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=()',
  }
  const generator = holds('version_hidden') ? '' : `<meta name="generator" content="WordPress ${wpVersion}">`
  return { status: 200, text: `<title>${name}</title>${generator}${name}`, ...(holds('security_headers') && { headers }) }
}

function trialPage({ trial, on, rejects }: FakeTweaks, path: string): Page {
  const [folder = '', name = ''] = path.split('/')
  if (trial === undefined) return { status: 404, text: '' }
  if (folder === 'with' && rejects) return { status: 500, text: '' }
  if (name === 'plain.txt') return { status: 200, text: 'svc-plain\n' }
  if (folder === 'with' || on.has(trial)) return { status: 403, text: '' }
  return { status: 200, text: name === 'run.php' ? 'svc-ran' : name === '' ? '<title>Index of /</title>' : 'svc-readme' }
}
