import type { Manifest } from './manifest.ts'
import { ownWords } from './own-words.ts'
import { clean } from './text.ts'

/** The end of a command that did not do what was asked: *what. why. what next*, and the exit code. */
export class Failure extends Error {
  readonly exit: number
  readonly details: string[]
  constructor(message: string, exit: number, details: string[] = []) {
    super(message)
    this.exit = exit
    this.details = details
  }
}

/** 2: the command was not understood; nothing was sent. */
export const misused = (message: string, details: string[] = []) => new Failure(message, 2, details)

/** A site's own words, which nobody should take for ours. */
export interface SiteSaid {
  text?: string
}

export const siteSaid = (said: SiteSaid | null | undefined) => (said?.text ? [`The site said (untrusted): ${clean(said.text)}`] : [])

interface ProblemBody {
  title?: string
  detail?: string
  next?: string
  code?: string
  errors?: { path: string; message: string; candidates?: string[] }[]
  site_said?: SiteSaid
  request_id?: string
}

/** What the service refused, in words, with the exit code of its kind. */
export function refused(manifest: Manifest, status: number, body: ProblemBody, command: string): Failure {
  const { problems } = manifest
  const kind = problems[body.code ?? ''] ?? Object.values(problems).find((problem) => problem.status === status)
  const ours = (text: string) => clean(ownWords(manifest, text))
  const title = clean(body.title ?? kind?.title ?? `The service answered ${status}`)
  const fields = (body.errors ?? []).flatMap(({ path, message, candidates = [] }) => [
    ours(`${path || 'request'}: ${message}`),
    ...(candidates.length > 0 ? [`Candidates: ${clean(candidates.join(', '))}`] : []),
  ])
  const details = [
    ...siteSaid(body.site_said),
    ...fields,
    ours(next(body.code, command) ?? body.next ?? kind?.next ?? ''),
    body.request_id && `Request ${clean(body.request_id)}.`,
  ].filter((line) => line !== undefined && line !== '')
  return new Failure(`${title}. ${ours(body.detail ?? '')}`.trim(), kind?.exit ?? 1, details as string[])
}

function next(code: string | undefined, command: string): string | undefined {
  if (code === 'invalid_payload') return `See \`svc ${command} --help\`.`
  if (code === 'rate_limited') return 'Wait a little, then type it again.'
  if (code === 'unauthenticated') return 'Set SERVICE_TOKEN to a token that was not revoked and has not expired.'
  return undefined
}
