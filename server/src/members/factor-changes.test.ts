import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { ask, auditedOf, codeNow, halfOf, someone, withApp } from '../../test/factors.ts'
import { aBrowser, type Browser, goodPassword } from '../../test/person.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { commands } from '../admin/commands.ts'
import { openCommandWorld } from '../admin/world.ts'
import { rotateMasterKey } from '../workspaces/rotation.ts'
import { freshFactor } from './fresh.ts'
import { callerOf, openSession } from './sessions.ts'

const minute = 60_000

describe('changes of second factors', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())
  beforeEach(async () => {
    here.clock.add(2 * minute)
    await sql`DELETE FROM guesses`.execute(here.world.db)
  })

  test('a change of a factor asks for a factor again unless one was shown just now, and is written down with it', async () => {
    const { id, email, browser, secret } = await withApp(here)
    here.clock.add(11 * minute)
    const changes: [string, object][] = [
      ['authenticator_offer', {}],
      ['authenticator', { code: '123456' }],
      ['authenticator_remove', {}],
      ['recovery_codes', {}],
      ['passkeys_offer', {}],
      ['passkeys_remove', { id: 'passkey_x' }],
    ]
    for (const [path, body] of changes) {
      const refused = await ask(browser, path, body)
      // Of passkeys it is said first that an address has none.
      assert.ok(refused.status === 403 || path === 'passkeys_offer', `${path} ${refused.text}`)
      if (path !== 'passkeys_offer') assert.equal((refused.json as { code?: string }).code, 'confirmation_required')
    }
    assert.equal((await ask(browser, 'confirm', { password: goodPassword })).status, 403, 'a password is no second factor')
    assert.equal((await ask(browser, 'confirm', { code: '000000' })).status, 403)
    assert.equal((await ask(browser, 'authenticator_remove')).status, 403)
    assert.equal((await ask(browser, 'confirm', { code: codeNow(here, secret) })).status, 200)
    assert.equal((await ask(browser, 'authenticator_remove')).status, 200)
    assert.deepEqual((await auditedOf(here, id)).slice(-2), ['session.confirm ok', 'factor.authenticator_removed ok'])
    assert.equal((await aBrowser(here).signIn(email)).headers.getSetCookie().length, 2, 'the password is enough again')
    assert.equal((await sql`SELECT 1 FROM recovery_codes WHERE user_id = ${id}`.execute(here.world.db)).rows.length, 0)
  })

  test('without a factor yet the password is asked for again, and the first factor ends every other session', async () => {
    const { email, browser } = await someone(here)
    const other = aBrowser(here)
    await other.signIn(email)
    here.clock.add(11 * minute)
    assert.equal((await ask(browser, 'authenticator_offer')).status, 403)
    assert.equal((await ask(browser, 'confirm', { password: 'not the right one' })).status, 403)
    assert.equal((await ask(browser, 'confirm', { password: goodPassword })).status, 200)
    const { secret } = (await ask(browser, 'authenticator_offer')).json as unknown as { secret: string }
    assert.equal((await ask(browser, 'authenticator', { code: '000000' })).status, 400)
    assert.equal((await aBrowser(here).signIn(email)).headers.getSetCookie().length, 2, 'not in force before a code was seen')
    assert.equal((await ask(browser, 'authenticator', { code: codeNow(here, secret) })).status, 200)
    assert.equal((await other.send('GET', '/api/v1/sites')).status, 401)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200)
  })

  test('another app takes the place of the first when it has told a code; until then the first stays in force', async () => {
    const { email, browser, secret } = await withApp(here)
    const { secret: next } = (await ask(browser, 'authenticator_offer')).json as unknown as { secret: string }
    const enter = async (shared: string) => {
      const stranger = aBrowser(here)
      const key = halfOf(await stranger.signIn(email))?.key ?? ''
      return (await ask(stranger, 'second', { key, code: codeNow(here, shared) })).status
    }
    assert.equal(await enter(next), 401)
    here.clock.add(minute)
    const replaced = await ask(browser, 'authenticator', { code: codeNow(here, next) })
    assert.deepEqual(replaced.json, { recovery_codes: null })
    here.clock.add(minute)
    assert.equal(await enter(secret), 401)
    assert.equal(await enter(next), 200)
    await ask(browser, 'authenticator_offer')
    here.clock.add(16 * minute)
    await ask(browser, 'confirm', { code: codeNow(here, next) })
    assert.equal((await ask(browser, 'authenticator', { code: '000000' })).status, 409, 'a QR code grows old')
  })

  test('whoever asks for something grave can be held to a fresh factor', async () => {
    const { browser, secret } = await withApp(here)
    const plain = await someone(here)
    const factorAt = async (who: Browser) => {
      const session = await openSession(here.world, who.cookies.get('svc_session'))
      return session ? callerOf(session) : undefined
    }
    const fresh = async (who: Browser) => freshFactor((await factorAt(who)) ?? {}, here.world.now())
    assert.deepEqual([await fresh(browser), await fresh(plain.browser)], [true, false])
    here.clock.add(10 * minute)
    assert.equal(await fresh(browser), false)
    await ask(browser, 'confirm', { code: codeNow(here, secret) })
    assert.equal(await fresh(browser), true)
  })

  test('what is kept of factors is of no use to a thief of the database, and stands in no log', async () => {
    const { secret, codes } = await withApp(here)
    const { rows: tables } = await sql<{
      name: string
    }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`.execute(here.world.db)
    const texts = await Promise.all(
      tables.map(async ({ name }) => (await sql<{ t: string }>`SELECT t::text AS t FROM ${sql.table(name)} t`.execute(here.world.db)).rows),
    )
    const all = here.logs.join('') + JSON.stringify(texts)
    const bytes = Buffer.from((secret.match(/./g) ?? []).join(''))
    for (const each of [
      secret,
      bytes.toString('hex'),
      bytes.toString('base64'),
      ...codes,
      ...codes.map((code) => code.replaceAll('-', '')),
    ])
      assert.ok(!all.includes(each))
  })

  test('a master key that is replaced takes no factor away, and a process that has the old one still makes one', async () => {
    const { email, secret } = await withApp(here)
    const { world, close } = await openCommandWorld(here.world.config, here.world.log, here.address)
    await rotateMasterKey(world)
    await close()
    const late = await withApp(here)
    for (const person of [{ email, secret }, late]) {
      here.clock.add(minute)
      const browser = aBrowser(here)
      const key = halfOf(await browser.signIn(person.email))?.key ?? ''
      assert.equal((await ask(browser, 'second', { key, code: codeNow(here, person.secret) })).status, 200)
    }
  })

  test('the operator takes the factors away of somebody who lost them all, and nobody stays signed in', async () => {
    const { id, email, browser } = await withApp(here)
    const command = commands.find(({ name }) => name === 'person forget-factors') ?? assert.fail('there is a command')
    assert.deepEqual((await command.run(here.world, { email }, [])).json, { email })
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 401)
    assert.equal((await aBrowser(here).signIn(email)).headers.getSetCookie().length, 2)
    assert.equal((await auditedOf(here, id)).filter((each) => each === 'factor.all_removed ok').length, 1)
    await assert.rejects(command.run(here.world, { email: 'nobody@example.com' }, []), { code: 'not_found' })
  })
})
