import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { untilLocked } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { commands } from '../admin/commands.ts'
import { startHint } from '../admin/first-owner.ts'
import { svcInstalled } from '../projections/command.ts'
import { createOwner, makeOwner } from '../workspaces/service.ts'
import { offerSetup } from '../workspaces/setup.ts'

describe('the first owner’s link', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())
  const send = (fields: Record<string, string>) =>
    here.rest('POST', '/setup', {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const owners = async () => (await sql`SELECT 1 FROM members WHERE role = 'owner'`.execute(here.world.db)).rows.length
  const good = { email: 'ann@example.com', password: 'correct horse battery', workspace: 'Ann’s <sites>', nightly: 'yes' }
  const secretNow = async () => (await offerSetup(here.world)) ?? ''

  /** What a start prints for the person at the terminal. */
  async function printed(t: TestContext): Promise<string> {
    let told = ''
    const { mock } = t.mock.method(process.stderr, 'write', (text: string) => {
      told += text
      return true
    })
    await startHint(here.world)
    mock.restore()
    return told
  }

  test('the link that is printed says localhost on a machine of one’s own, where passkeys work, and opens', async (t) => {
    const told = await printed(t)
    const { host } = new URL(here.world.config.baseUrl)
    assert.match(here.world.config.baseUrl, /^http:\/\/127\.0\.0\.1:/)
    const [, port = '', at = ''] = /http:\/\/localhost:(\d+)(\/setup\?key=\S+)/.exec(told) ?? []
    assert.ok(host.endsWith(`:${port}`) && !told.includes(`${host}/setup`), told)
    assert.equal((await here.rest('GET', at)).status, 200)
    const typed = [...told.matchAll(/admin -- (\S+ \S+)/g)].map(([, command]) => command)
    assert.deepEqual(typed, ['owner create', 'token create', 'site pair'])
    for (const command of typed) assert.ok(commands.some(({ name }) => name === command))
  })

  test('another secret than the printed one opens nothing', async () => {
    const key = await secretNow()
    for (const other of ['', 'x', `${key}x`, key.toLowerCase()]) {
      assert.equal((await here.rest('GET', `/setup?key=${other}`)).status, 404)
      assert.equal((await send({ ...good, key: other })).status, 404)
    }
    assert.equal(await owners(), 0)
  })

  test('an older link is closed by a newer one, and looking at it does not spend it', async () => {
    const [old, key] = [await secretNow(), await secretNow()]
    assert.equal((await here.rest('GET', `/setup?key=${old}`)).status, 404)
    for (let n = 0; n < 3; n++) assert.equal((await here.rest('GET', `/setup?key=${key}`)).status, 200)
  })

  test('what is typed wrongly is said beside its field, and nothing typed is taken for markup', async () => {
    const key = await secretNow()
    const answer = await send({ key, email: '"><script>alert(1)</script>', password: 'short', workspace: '' })
    assert.equal(answer.status, 400)
    for (const words of ['Not an e-mail address.', 'At least 12 characters.', 'Must not be empty.'])
      assert.ok(answer.text.includes(words), words)
    assert.ok(!answer.text.includes('<script>'))
    assert.ok(!answer.text.includes(' checked>'), 'who does not want backups by night is not asked anew')
    assert.ok(!answer.text.includes('value="short"'), 'a password is not sent back')
    assert.equal(await owners(), 0)
  })

  test('a password that is guessed first is refused beside its field, and the link stays open', async () => {
    const key = await secretNow()
    const answer = await send({ ...good, key, password: 'password1234' })
    assert.equal(answer.status, 400)
    assert.ok(answer.text.includes('Too easy to guess.') && answer.text.includes('value="ann@example.com"'))
    assert.equal(await owners(), 0)
    assert.equal((await here.rest('GET', `/setup?key=${key}`)).status, 200)
  })

  test('of eight who send the form at once one becomes the owner, with a token that works and a code; the link is closed', async () => {
    const key = await secretNow()
    // Two hash at a time: on a busy machine the others may be told to come again, and do.
    const insist = async (): ReturnType<typeof send> => {
      const answer = await send({ ...good, key })
      return answer.status === 503 ? insist() : answer
    }
    const answers = await Promise.all(Array.from({ length: 8 }, insist))
    const [done] = answers.filter(({ status }) => status === 200)
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404, 404, 404, 404])
    assert.equal(await owners(), 1)
    const token = /svc_[0-9A-Za-z]{38}/.exec(done?.text ?? '')?.[0] ?? ''
    assert.equal((await here.rest('GET', '/api/v1/sites', { token })).status, 200)
    assert.match(done?.text ?? '', /Every site is backed up every night, from 01:00 UTC\./)
    assert.equal((await here.rest('GET', '/api/v1/schedule', { token })).json['enabled'], true)
    assert.match(done?.text ?? '', /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/)
    assert.ok(done?.text.includes('Ann’s &#60;sites&#62;'))
    // What is to be copied has a button, by the script of the docs; the form has none.
    const figures = [...(done?.text ?? '').matchAll(/<figure><figcaption>[^<]+<\/figcaption><pre tabindex="0">([^<]+)</g)].map(
      ([, text]) => text,
    )
    for (const one of [svcInstalled.text, 'svc sites list', token, here.world.config.baseUrl])
      assert.ok(figures.includes(one), `${one} of ${figures}`)
    assert.match(done?.text ?? '', /A site on another machine does not find http:\S+: set SERVICE_BASE_URL to/)
    assert.match(done?.text ?? '', /<script src="\/docs.js" defer>/)
    assert.match(done?.headers.get('content-security-policy') ?? '', /^default-src 'none'.*; script-src 'self'$/)
    assert.equal((await here.rest('GET', `/setup?key=${key}`)).status, 404)
    assert.equal(await offerSetup(here.world), undefined)
  })

  test('a start later tells where the dashboard and the docs are, and no link', async (t) => {
    const told = await printed(t)
    assert.match(told, /The service is up: http:\/\/localhost:\d+\n/)
    assert.ok(told.includes(`${here.world.config.baseUrl}/docs`) && !told.includes('setup?key'), told)
  })

  test('neither the secret nor the password is kept or logged', async () => {
    const { rows } = await sql<{
      t: string
    }>`SELECT i::text AS t FROM installation i UNION ALL SELECT u::text FROM users u UNION ALL SELECT a::text FROM audit a`.execute(
      here.world.db,
    )
    const all = rows.map(({ t }) => t).join('\n') + here.logs.join('')
    assert.ok(!all.includes(good.password))
    assert.match(all, /\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
  })
})

describe('the first owner’s link is closed', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  beforeEach(() => sql`DELETE FROM members`.execute(here.world.db))
  after(() => here.close())
  const good = { email: 'mallory@example.net', password: 'correct horse battery', workspace: 'Mallory' }
  const send = (fields: Record<string, string>) =>
    here.rest('POST', '/setup', {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const emails = async () => {
    const { rows } = await sql<{ email: string }>`SELECT u.email FROM members m JOIN users u ON u.id = m.user_id`.execute(here.world.db)
    return rows.map(({ email }) => email)
  }
  const isClosed = async (key: string) => {
    assert.equal((await here.rest('GET', `/setup?key=${key}`)).status, 404)
    assert.equal((await send({ ...good, key })).status, 404)
  }

  test('by an owner made on the command line', async () => {
    const key = (await offerSetup(here.world)) ?? ''
    await createOwner(here.world, 'ann@example.com', 'My sites')
    await isClosed(key)
    assert.deepEqual(await emails(), ['ann@example.com'])
  })

  test('by an owner who came there in any other way', async () => {
    const { user_id, workspace_id } = await createOwner(here.world, 'ann@example.com', 'My sites')
    await sql`DELETE FROM members`.execute(here.world.db)
    const key = (await offerSetup(here.world)) ?? ''
    await sql`INSERT INTO members (workspace_id, user_id, role) VALUES (${workspace_id}, ${user_id}, 'owner')`.execute(here.world.db)
    await isClosed(key)
    assert.deepEqual(await emails(), ['ann@example.com'])
  })

  test('by an owner who is made while the form is sent', async () => {
    const key = (await offerSetup(here.world)) ?? ''
    const [holding, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const made = here.world.db.transaction().execute(async (db) => {
      await makeOwner({ ...here.world, db }, 'ann@example.com', 'My sites', 'a hash')
      holding.resolve()
      await waiting.promise
    })
    await holding.promise
    const sent = send({ ...good, key })
    await untilLocked(here.world.db, 'pg_advisory_xact_lock')
    waiting.resolve()
    await made
    assert.equal((await sent).status, 404)
    assert.deepEqual(await emails(), ['ann@example.com'])
  })

  test('an hour after it was printed; the next start prints another', async () => {
    const key = (await offerSetup(here.world)) ?? ''
    here.clock.add(59 * 60_000)
    assert.equal((await here.rest('GET', `/setup?key=${key}`)).status, 200)
    here.clock.add(2 * 60_000)
    await isClosed(key)
    const next = (await offerSetup(here.world)) ?? ''
    assert.equal((await here.rest('GET', `/setup?key=${next}`)).status, 200)
    assert.deepEqual(await emails(), [])
  })

  test('to a service whose owner wanted no backups by night, who is told that nothing is backed up by itself', async () => {
    const key = (await offerSetup(here.world)) ?? ''
    const { status, text } = await send({ ...good, key, workspace: 'Without a schedule' })
    assert.equal(status, 200)
    assert.match(text, /No schedule: nothing is backed up by itself\. Settings in the dashboard turn it on\./)
    assert.doesNotMatch(text, /is backed up every night/)
    const token = /svc_[0-9A-Za-z]{38}/.exec(text)?.[0] ?? ''
    assert.equal((await here.rest('GET', '/api/v1/schedule', { token })).json['enabled'], false)
  })

  test('to a workspace that is there already, whoever made it', async () => {
    const key = (await offerSetup(here.world)) ?? ''
    const answer = await send({ ...good, key, workspace: 'tEST' })
    assert.equal(answer.status, 409)
    assert.match(answer.text, /There is a workspace of this name already/)
    assert.deepEqual(await emails(), [])
    assert.equal((await send({ ...good, key })).status, 200, 'the link is not spent by that')
  })
})
