// Which site is what, by its number: from this alone the tests know the answers.
import { anOffer, aPlugin } from '../../server/test/fake-items.ts'
import type { FakeSite } from '../../server/test/fake-site.ts'
import { putFile } from '../../server/test/fake-state.ts'

/** Beside two real ones. */
export const ofFakes = 298
const all = Array.from({ length: ofFakes }, (_, index) => index + 1)
const those = (is: (n: number) => boolean) => all.filter(is)

/** Enrolled, and never heard of again: nobody knows anything of them. */
export const silent = [297, 298]
const heard = (n: number) => !silent.includes(n)
export const onPhp81 = those((n) => n % 15 === 0 && heard(n))
export const shops = those((n) => n % 20 === 4)
export const staging = those((n) => n % 50 === 7)
export const ofClient: readonly [number, ...number[]] = [101, 102, 103, 104]
export const client = 'Harbour Ltd'
/** Of these: how fast they are was measured, their links were looked at, they were asked for PHP errors. Of the others nobody knows. */
export const [measured, scanned, asked] = [ofClient.slice(0, 2), ofClient.slice(0, 1), ofClient.slice(0, 2)]
/** Of those that were measured; its one link leads nowhere. */
export const frontPage = '<!doctype html><html><title>Harbour</title><body><a href="/brochure/">Our brochure</a></body></html>'
/** What Mia did by hand the day before, and told her colleagues of it. */
export const handover = ofClient.slice(0, 2).map((n) => ({
  n,
  summary: 'Replaced the pictures of the front page',
  notes: `The old ones of customer ${n} are on the shared drive`,
}))
/** Garden 1.0.0, of which a vulnerability is known; all others have 1.1.0. */
export const vulnerable = [31, 62, 93]
export const calendars = those((n) => n % 30 === 9)
export const calendarOf = (n: number) => (n % 60 === 9 ? '2.1' : '2.0')
/** “forms” 1.0, where 2.0 waits, which breaks two of them. */
export const forms = those((n) => n % 8 === 0 && heard(n))
export const broken = [48, 136]
export const neverBackedUp = [93, 290, 291]
export const longAgo = [200, 201, 202, 203, 204, 205, 206]
export const nightly = those((n) => heard(n) && !neverBackedUp.includes(n) && !longAgo.includes(n))

/** Sites with a part in one story. */
export const one = {
  eventful: 121,
  takenBack: 141,
  up: 51,
  down: 53,
  fixed: 71,
  protected: 73,
  accepted: 57,
  slow: 211,
  unscheduled: 251,
  erring: 131,
}

/** “seeds” 1.0, which was updated to 1.1 in these nine days, but for one that it broke. */
const ofSeeds: readonly number[] = [one.eventful, one.takenBack, one.erring, ofClient[0]]

export function furnish({ state }: FakeSite, n: number): void {
  state.name = `Customer ${n}`
  if (onPhp81.includes(n)) state.phpVersion = '8.1.29'
  const core = state.items.find(({ type }) => type === 'core')
  const garden = state.items.find(({ slug }) => slug === 'garden')
  if (core && !staging.includes(n)) core.update = null
  if (garden && !vulnerable.includes(n)) Object.assign(garden, { version: '1.1.0', update: null })
  if (calendars.includes(n)) state.items.push(aPlugin('calendar', { version: calendarOf(n) }))
  if (forms.includes(n)) state.items.push(aPlugin('forms', { update: anOffer('2.0') }))
  if (ofSeeds.includes(n)) state.items.push(aPlugin('seeds', { update: anOffer('1.1') }))
  if (broken.includes(n)) state.defects['forms/forms.php@2.0'] = 'front_500'
  if (n === one.takenBack) state.defects['seeds/seeds.php@1.1'] = 'front_500'
  if (n === one.slow) for (let i = 0; i < 40; i++) putFile(state, `wp-content/uploads/${i}.txt`, `Text ${i}`)
}
