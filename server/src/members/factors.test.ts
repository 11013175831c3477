import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { codeOf } from '../../test/authenticator.ts'
import { ask, auditedOf, codeNow, halfOf, someone, withApp } from '../../test/factors.ts'
import { aBrowser, type Browser, goodPassword } from '../../test/person.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { takeCodeTry } from './guesses.ts'
import { offerRecovery } from './sign-in.ts'

const minute = 60_000

describe('signing in with a second factor', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())
  beforeEach(async () => {
    here.clock.add(2 * minute)
    await sql`DELETE FROM guesses`.execute(here.world.db)
  })

  test('with an app in force a password opens nothing alone; the code after it does', async () => {
    const { id, email, browser: own, secret } = await withApp(here)
    const browser = aBrowser(here)
    const answer = await browser.signIn(email)
    assert.equal(answer.status, 200)
    assert.deepEqual(halfOf(answer)?.ways, ['code', 'recovery_code'])
    assert.equal(answer.headers.getSetCookie().length, 0)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 401)
    const key = halfOf(answer)?.key ?? ''
    for (const wrong of ['000000', codeOf(secret, new Date(here.world.now().getTime() - 3 * minute)), 'nonsense'])
      assert.equal((await ask(browser, 'second', { key, code: wrong })).status, 401)
    const code = codeNow(here, secret)
    const done = await ask(browser, 'second', { key, code: ` ${code.slice(0, 3)} ${code.slice(3)}` })
    assert.equal(done.status, 200)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200)
    assert.equal((await ask(browser, 'second', { key, code: codeNow(here, secret) })).status, 404, 'it is finished')
    assert.equal((await own.send('GET', '/api/v1/sites')).status, 200)
    const told = await auditedOf(here, id)
    assert.equal(told.filter((each) => each === 'session.second_factor unauthenticated').length, 3)
    assert.deepEqual(told.slice(0, 2), ['session.begin ok', 'factor.authenticator_added ok'])
  })

  test('no code is taken twice, nor one of an earlier step, nor by two at once', async () => {
    const { email, secret } = await withApp(here)
    const halves: { browser: Browser; key: string }[] = []
    for (let n = 0; n < 5; n++) {
      const browser = aBrowser(here)
      halves.push({ browser, key: halfOf(await browser.signIn(email))?.key ?? '' })
    }
    const try_ = async (code: string) => {
      const { browser, key } = halves.pop() ?? assert.fail('one for each try')
      return (await ask(browser, 'second', { key, code })).status
    }
    const [earlier, code] = [codeOf(secret, new Date(here.world.now().getTime() - 30_000)), codeNow(here, secret)]
    const statuses = await Promise.all([try_(code), try_(code)])
    assert.deepEqual(statuses.sort(), [200, 401])
    assert.equal(await try_(earlier), 401, 'the step before it is over as well')
    here.clock.add(30_000)
    assert.equal(await try_(code), 401, 'still known in the step after it, and taken')
    assert.equal(await try_(codeNow(here, secret)), 200)
  })

  test('a sign-in waits ten minutes for its second factor, and another person’s code is none', async () => {
    const [ann, ben] = [await withApp(here), await withApp(here)]
    const browser = aBrowser(here)
    const key = halfOf(await browser.signIn(ann.email))?.key ?? ''
    assert.equal((await ask(browser, 'second', { key, code: codeNow(here, ben.secret) })).status, 401)
    assert.equal((await ask(browser, 'second', { key, code: ben.codes[0] })).status, 401)
    here.clock.add(11 * minute)
    assert.equal((await ask(browser, 'second', { key, code: codeNow(here, ann.secret) })).status, 404)
  })

  test('whoever has the password guesses five codes in a quarter of an hour; the person’s own browser, a recovery code and a new day get in', async () => {
    const { id, email, browser: own, secret, codes } = await withApp(here)
    await ask(own, 'end')
    const thief = aBrowser(here)
    const key = halfOf(await thief.signIn(email))?.key ?? ''
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) statuses.push((await ask(thief, 'second', { key, code: '000000' })).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
    assert.equal((await ask(thief, 'second', { key, code: codeNow(here, secret) })).status, 429, 'the right one as well')
    const mine = halfOf(await own.signIn(email))?.key ?? ''
    assert.equal((await ask(own, 'second', { key: mine, code: codeNow(here, secret) })).status, 200)
    const elsewhere = aBrowser(here)
    const third = halfOf(await elsewhere.signIn(email))?.key ?? ''
    assert.equal((await ask(elsewhere, 'second', { key: third, code: (codes[3] ?? '').toUpperCase() })).status, 200)
    let patient = 0
    for (let n = 0; n < 80; n++) {
      here.clock.add(16 * minute)
      await takeCodeTry(here.world, id, undefined).then(
        () => patient++,
        () => undefined,
      )
    }
    assert.ok(patient > 40 && patient <= 50, `${patient}: nor more than fifty in a day`)
  })

  test('a recovery code opens once, the number of those left is told, and new ones close the old', async () => {
    const { email, codes } = await withApp(here)
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
    const enter = async (code: string) => {
      const browser = aBrowser(here)
      const key = halfOf(await browser.signIn(email))?.key ?? ''
      return { browser, status: (await ask(browser, 'second', { key, code })).status }
    }
    const { browser, status } = await enter(codes[0] ?? '')
    assert.equal(status, 200)
    assert.equal((await enter(codes[0] ?? '')).status, 401)
    const left = async () => ((await browser.send('GET', '/session/factors')).json as { recovery_codes_left?: number }).recovery_codes_left
    assert.equal(await left(), 9)
    const renewed = (await ask(browser, 'recovery_codes')).json as unknown as { recovery_codes: string[] }
    assert.equal(await left(), 10)
    here.clock.add(2 * minute)
    assert.equal((await enter(codes[1] ?? '')).status, 401)
    assert.equal((await enter(renewed.recovery_codes[1] ?? '')).status, 200)
  })

  test('neither a new password, a way back in, nor an invitation leads around the second factor', async () => {
    const { email, browser, secret } = await withApp(here)
    const changed = await ask(browser, 'password', { current: goodPassword, next: 'another horse battery' })
    assert.equal(changed.status, 200, 'a session whose factor was shown stays one')
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200)
    const { secret: link } = await offerRecovery(here.world, email)
    const stranger = aBrowser(here)
    const recovered = await ask(stranger, 'recover', { key: link, password: 'yet another horse battery' })
    assert.ok(halfOf(recovered))
    assert.equal((await stranger.send('GET', '/api/v1/sites')).status, 401)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 401, 'the way back in ended it')
    assert.equal((await ask(stranger, 'second', { key: halfOf(recovered)?.key, code: codeNow(here, secret) })).status, 200)
    const workspaceId = await here.workspace(`Elsewhere ${email}`)
    const invite = async () =>
      String((await here.call('members.invite', { email }, { caller: here.caller({ workspaceId }) })).link).split('#')[1] ?? ''
    const key = await invite()
    const joined = await ask(aBrowser(here), 'join', { key, password: 'yet another horse battery' })
    assert.equal(joined.status, 409)
    const another = await someone(here)
    assert.equal((await ask(another.browser, 'accept', { key })).status, 409)
    const accepted = await ask(stranger, 'accept', { key })
    assert.partialDeepStrictEqual(accepted.json, { workspace: { id: workspaceId, role: 'member' } } as never)
    assert.equal((await ask(stranger, 'accept', { key })).status, 404)
  })

  test('one session is ended among others, and nobody ends another person’s', async () => {
    const { email, browser } = await someone(here)
    const [other, stranger] = [aBrowser(here), await someone(here)]
    await other.signIn(email)
    const list = (await browser.send('GET', '/session/list')).json as unknown as { id: string; current: boolean }[]
    const theirs = list.find(({ current }) => !current)?.id
    assert.deepEqual((await ask(stranger.browser, 'end_one', { id: theirs })).json, { ended: 0 })
    assert.equal((await other.send('GET', '/api/v1/sites')).status, 200)
    assert.deepEqual((await ask(browser, 'end_one', { id: theirs })).json, { ended: 1 })
    assert.equal((await other.send('GET', '/api/v1/sites')).status, 401)
  })
})
