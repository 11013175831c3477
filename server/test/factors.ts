// People with second factors, as a test needs them.
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { codeOf } from './authenticator.ts'
import { aBrowser, aPerson, type Browser } from './person.ts'
import type { RestAnswer, TestWorld } from './world.ts'

let people = 0

/** Somebody signed in with a password. */
export async function someone(here: TestWorld) {
  const email = `p${++people}@example.com`
  const id = await aPerson(here, email, 'owner')
  const browser = aBrowser(here)
  await browser.signIn(email)
  return { id, email, browser }
}

export const ask = (browser: Browser, path: string, body: object = {}) => browser.send('POST', `/session/${path}`, body)
export const codeNow = (here: TestWorld, secret: string) => codeOf(secret, here.world.now())

/** With an authenticator in force; a minute later, so that the next code is a new one. */
export async function withApp(here: TestWorld) {
  const person = await someone(here)
  const { secret } = (await ask(person.browser, 'authenticator_offer')).json as unknown as { secret: string }
  const added = await ask(person.browser, 'authenticator', { code: codeNow(here, secret) })
  assert.equal(added.status, 200, added.text)
  here.clock.add(60_000)
  const { recovery_codes: codes } = added.json as unknown as { recovery_codes: string[] }
  return { ...person, secret, codes }
}

/** What a sign-in that waits for a second factor goes on with. */
export const halfOf = (answer: RestAnswer) => (answer.json as { second?: { key: string; ways: string[] } }).second

/** What the record has of a person, in order. */
export async function auditedOf(here: TestWorld, id: string): Promise<string[]> {
  await here.audited()
  const { rows } = await sql<{
    told: string
  }>`SELECT operation || ' ' || outcome AS told FROM audit WHERE caller_id = ${id} ORDER BY seq`.execute(here.world.db)
  return rows.map(({ told }) => told)
}
