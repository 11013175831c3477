// Every call to the service: the REST operations of the contract, and the session.
import routes from 'contract:routes'
import type { Operations } from '../../contract/types.ts'
import { earlyAnswer } from './early-answers.ts'
import { inWordsHere, nextHere } from './next.ts'
import { t } from './text.ts'

export type Name = keyof Operations
export type Input<Of extends Name> = Operations[Of]['input']
export type Output<Of extends Name> = Operations[Of]['output']
export type Item<Of extends Name> = Output<Of> extends (infer Each)[] ? Each : never

/** What the service said instead of an answer. */
export class Failure extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string>
  readonly siteSaid: string | undefined
  /** What to do about it. */
  readonly next: string

  constructor(status: number, problem: Problem) {
    super(problem.detail ? inWordsHere(problem.detail) : t('The service answered with {status}.', { status }))
    this.status = status
    this.code = problem.code ?? 'internal'
    this.fields = Object.fromEntries((problem.errors ?? []).map(({ path, message }) => [path, message]))
    this.siteSaid = problem.site_said?.text
    this.next = nextHere[this.code] ?? problem.next ?? ''
  }
}

interface Problem {
  code?: string
  detail?: string
  next?: string
  errors?: { path: string; message: string }[]
  site_said?: { text: string }
}

/** What to go on with, and what may be shown. */
export interface Half {
  key: string
  ways: ('code' | 'recovery_code' | 'passkey')[]
}

export interface Session {
  user: { id: string; email: string } | null
  has_owner?: boolean
  /** Of nobody: whether the service sends mail, and the origin at which passkeys work. */
  mail?: boolean
  passkeys_at?: string | null
  /** The sign-in waits for a second factor. */
  second?: Half
  workspace: { id: string; name: string; role: string; sees: object | null } | null
  scopes: string[]
  workspaces: { id: string; name: string; role: string }[]
  /** Whether the person may make a further one. */
  new_workspaces?: boolean
  csrf: string
}

let proof = ''
/** What shows that a call comes from this page; it belongs to one session and one workspace. */
export const setProof = (csrf: string | undefined) => {
  proof = csrf ?? ''
}

/** What follows when the service says that the page is out of date. */
let tellOutdated = (): void => undefined
export const whenOutdated = (then: () => void) => {
  tellOutdated = then
}

interface Sent {
  body?: unknown
  accept?: string
  signal?: AbortSignal | undefined
}

async function send(method: string, address: string, { body, accept, signal }: Sent): Promise<Response> {
  const early = method === 'GET' ? earlyAnswer(address) : undefined
  const asked =
    early ??
    fetch(address, {
      method,
      headers: {
        ...(proof && { 'svc-csrf': proof }),
        ...(accept && { accept }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  const response = await asked.catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new Failure(0, { code: 'unreachable', detail: t('The service could not be reached. Is it running, and are you online?') })
  })
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as Problem
  if (response.status === 401 || response.status === 403) tellOutdated()
  throw new Failure(response.status, problem)
}

/** One of the session's own calls, `/session/…`. */
export async function askSession<Answer>(path: string, body?: unknown): Promise<Answer> {
  return (await send(body === undefined ? 'GET' : 'POST', `/session${path}`, { body })).json() as Promise<Answer>
}

/** Where an operation is: the path that says most of what the input names. */
function routeOf(name: Name, input: Record<string, unknown>): { method: string; path: string; rest: Record<string, unknown> } {
  const [paths, action] = routes[name] ?? [[]]
  const fits = (http: string) => [...http.matchAll(/\{(\w+)\}/g)].every(([, field = '']) => input[field] !== undefined)
  const http = paths.filter(fits).toSorted((a, b) => b.split('{').length - a.split('{').length)[0] ?? ''
  const [method = 'GET', path = ''] = http.split(' ')
  const rest: Record<string, unknown> = { ...input, ...(action && { action }) }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => {
    delete rest[field]
    return encodeURIComponent(String(input[field]))
  })
  return { method, path: `/api/v1${filled}`, rest }
}

/** The address of a read, for links: downloads. */
export function addressOf<Of extends Name>(name: Of, input: Input<Of>): string {
  const { path, rest } = routeOf(name, input as Record<string, unknown>)
  const query = new URLSearchParams(Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])))
  return query.size > 0 ? `${path}?${query}` : path
}

/** The whole answer, as it comes: of a file. */
export async function respond<Of extends Name>(name: Of, input: Input<Of>, { signal, accept }: Sent = {}): Promise<Response> {
  const { method, path, rest } = routeOf(name, input as Record<string, unknown>)
  if (method === 'POST') return send(method, path, { body: rest, signal })
  return send(method, addressOf(name, input), { signal, ...(accept && { accept }) })
}

export async function call<Of extends Name>(name: Of, input: Input<Of>, signal?: AbortSignal): Promise<Output<Of>> {
  return (await respond(name, input, { signal })).json() as Promise<Output<Of>>
}

/** The lists: those that can be had with what stands beside their items. */
export type ListName = { [Of in Name]: Operations[Of] extends { whole: unknown } ? Of : never }[Name]
export type Whole<Of extends ListName> = Operations[Of] extends { whole: infer Whole } ? Whole : never

/** A list as the object it is: its items, and counts, trends, how fresh it is. */
export async function callWhole<Of extends ListName>(name: Of, input: Input<Of>, signal?: AbortSignal): Promise<Whole<Of>> {
  return (await respond(name, input, { signal, accept: 'application/vnd.svc.list+json' })).json() as Promise<Whole<Of>>
}

export interface Page<Of extends Name> {
  items: Item<Of>[]
  total: number
  next: string | undefined
}

/** One page of a list, and the cursor of the page behind it. */
export async function callPage<Of extends Name>(name: Of, input: Input<Of>, signal?: AbortSignal): Promise<Page<Of>> {
  const response = await respond(name, input, { signal })
  const items = (await response.json()) as Item<Of>[]
  const link = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  const next = link === undefined ? null : new URL(link, location.origin).searchParams.get('cursor')
  return { items, total: Number(response.headers.get('x-total-count') ?? items.length), next: next ?? undefined }
}
