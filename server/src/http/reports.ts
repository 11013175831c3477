// The door for whoever was given a private link to a report: no account, no script, nothing kept by anybody in between.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from '../kernel/html.ts'
import { catalogueOf, languages } from '../kernel/languages.ts'
import { Problem } from '../kernel/problem.ts'
import { visit } from '../reports/links.ts'
import { policyOf } from '../reports/page.ts'
import type { World } from '../world.ts'
import { addressBudget } from './address-budget.ts'

/** Links that lead nowhere, from one address, in a minute. */
const guessesPerMinute = 20

export function registerReports(app: FastifyInstance, world: World): void {
  const mayGuess = addressBudget(guessesPerMinute)
  const tooMany = addressBudget(guessesPerMinute * 10)
  app.get('/r/:secret', async (request, reply) => {
    if (!tooMany(request.ip)) throw refusal()
    const { secret } = request.params as { secret: string }
    const page = await visit(world, secret, request.method === 'GET')
    if (page) return sendPage(reply, 200, page)
    if (!mayGuess(request.ip)) throw refusal()
    return sendGone(reply)
  })
}

/** What leads nowhere: a link, and whatever else is asked for under a name that is for links alone. */
export const sendGone = (reply: FastifyReply) => sendPage(reply, 404, Buffer.from(gone()))

const refusal = () => new Problem('rate_limited', 'Too many visits from this address. Wait a minute.', { retryAfter: 60 })

/** In every language there is: whose link it was is not known. */
function gone(): string {
  const words = languages.map((language) => html`<p lang="${language}">${String(catalogueOf(language).link_gone ?? '')}</p>`)
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>404</title><style></style></head><body><main>${words}</main></body></html>`
    .text
}

const sendPage = (reply: FastifyReply, status: number, page: Buffer) =>
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': `${policyOf(page.toString('utf8'))}; frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation`,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow, noarchive',
    })
    .send(page)
