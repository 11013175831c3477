// What the attacks have in common.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { importSeed } from '../../../server/src/connector/keys.ts'
import type { Answer } from '../../visitor.ts'
import { type Attacked, named, sha256 } from '../attacked.ts'
import type { NativeSite } from '../fleet.ts'
import { type Message, send, traces, unharmed } from '../knock.ts'

export const ticket = randomBytes(32).toString('base64url')
/** What every attacker wants: a session of the administrator. */
export const LOGIN = named('login.issue', { ticket_sha256: sha256(ticket), requester: 'nobody', user: 'admin', username: 'admin', ttl: 60 })
export const zero = Buffer.alloc(32)
export const zeroKey = importSeed(zero.toString('base64'))

export const form = (fields: Record<string, string>, cookie = ''): Message => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...(cookie && { cookie }) },
  body: new URLSearchParams(fields).toString(),
})
export const redeem = ({ url }: NativeSite, svc_connector_ticket = ticket) =>
  send(`${url}/?svc-connector-login=`, form({ svc_connector_ticket }))
export const still = ({ fleet }: Attacked, site: NativeSite, attack: () => Promise<Answer[]>, signed = false) =>
  unharmed(fleet, site, attack, signed)

/** WordPress's cron ends its answer before plugins load, so it says nothing. */
export function refused(answers: Answer[]): void {
  for (const { text } of answers) assert.match(text, /^$|"refused":"[a-z_]+"/)
  assert.ok(answers.some(({ text }) => text !== ''))
}

export const done = (answer: Answer) => assert.equal(answer.status, 200, answer.text)
/** Nobody had the ticket of `LOGIN` accepted. */
export const shut = async (site: NativeSite) => assert.equal((await redeem(site)).status, 403)
export const asleep = (site: NativeSite) => assert.deepEqual(traces(site), [])

export async function all<Item>(items: readonly Item[], act: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const item of items) answers.push(await act(item))
  return answers
}
