import type { FastifyRequest } from 'fastify'
import { Problem } from '../kernel/problem.ts'

/** Throws unless a page of this very service sent it, as the browser tells: another site's page, a form there and a program without a browser are refused. */
export function mustBeOwnPage({ headers }: Pick<FastifyRequest, 'headers'>, baseUrl: string): void {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  const ours = origin !== undefined && (origin === new URL(baseUrl).origin || hostOf(origin) === headers.host)
  if (ours && (site === undefined || site === 'same-origin')) return
  throw new Problem('insufficient_scope', 'Nothing was done: this did not come from a page of this service.')
}

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined)
