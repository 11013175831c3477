import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { aBrowser, alsoIn, aPerson } from '../../test/person.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

let here: TestWorld
before(async () => {
  here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
})
after(() => here.close())

interface Kept {
  id: string
  name: string
  query: string
  columns: string[] | null
}
let people = 0
/** A colleague in two browsers. */
async function somebody(role: 'owner' | 'member' | 'viewer' = 'member') {
  const email = `p${++people}@example.com`
  const id = await aPerson(here, email, role)
  const [desk, phone] = [aBrowser(here), aBrowser(here)]
  await desk.signIn(email)
  await phone.signIn(email)
  return { id, desk, phone, as: { caller: here.caller({ id }) } }
}
const save = (as: object, name: string, query = '', columns?: string[]) =>
  here.call('views.save', { name, query, ...(columns && { columns }) }, as) as unknown as Promise<Kept>
const views = async (as: object) => ((await here.call('views.list', {}, as)) as unknown as { views: Kept[] }).views

test('a view that is saved in one browser is there in the other, and opens as it was', async () => {
  const { desk, phone } = await somebody()
  const saved = await desk.send('POST', '/api/v1/views', { name: 'Shops that are down', query: 'tag=shop&need=down&order=name' })
  assert.equal(saved.status, 200)
  const list = (await phone.send('GET', '/api/v1/views')).json as unknown as Kept[]
  assert.deepEqual(
    list.map(({ name, query }) => [name, query]),
    [['Shops that are down', 'tag=shop&need=down&order=name']],
  )
  assert.equal((await phone.send('GET', `/api/v1/fleet?${list[0]?.query}`)).status, 200, 'the list of sites takes it')
  assert.equal((await desk.send('DELETE', `/api/v1/views/${list[0]?.id}`)).status, 200)
  assert.deepEqual((await phone.send('GET', '/api/v1/views')).json, [])
})

test('the same name is the same view, and saving it twice is saving it once', async () => {
  const { as } = await somebody()
  const first = await save(as, 'Mine', 'need=down')
  assert.deepEqual(await save(as, 'Mine', 'need=down'), first)
  const second = await save(as, ' Mine ', 'q=caf%C3%A9%20noir')
  assert.equal(second.id, first.id)
  assert.deepEqual(
    (await views(as)).map(({ name, query }) => [name, query]),
    [['Mine', 'q=caf%C3%A9+noir']],
  )
})

test('the columns that somebody looks at are kept with a view; saved without them it has none of its own', async () => {
  const { as } = await somebody()
  const columns = ['backup', 'errors']
  const first = await save(as, 'Mine', 'need=backup', columns)
  assert.deepEqual(first.columns, columns)
  assert.deepEqual(await save(as, 'Mine', 'need=backup', columns), first, 'saving it twice is saving it once')
  assert.deepEqual((await save(as, 'Mine', 'need=backup', [])).columns, [])
  assert.equal((await save(as, 'Mine', 'need=backup')).columns, null)
  assert.deepEqual(
    (await views(as)).map((view) => view.columns),
    [null],
  )
  for (const wrong of [['password'], ['backup', 'backup']]) await assert.rejects(save(as, 'Mine', '', wrong), { code: 'invalid_payload' })
})

test('nobody has those of somebody else, of another workspace, or of a token', async () => {
  const [one, two] = [await somebody(), await somebody()]
  const { id } = await save(one.as, 'Mine', 'need=down')
  assert.deepEqual(await views(two.as), [])
  await save(two.as, 'Mine', 'need=backup')
  const there = { caller: here.caller({ id: one.id, workspaceId: await alsoIn(here, one.id, 'Elsewhere') }) }
  assert.deepEqual(await views(there), [])
  const never = 'view_01k0000000000000000000000a'
  for (const as of [two.as, there])
    for (const view_id of [id, never])
      await assert.rejects(here.call('views.remove', { view_id }, as), (error: { code: string; message: string }) => {
        assert.deepEqual([error.code, error.message.includes(view_id)], ['not_found', false])
        return true
      })
  for (const given of [await here.token('write'), await here.token('write', { approval_only: true }), await here.token('read')])
    for (const [method, path, body] of [
      ['GET', '/api/v1/views'],
      ['POST', '/api/v1/views', { name: 'x', query: '' }],
      ['DELETE', `/api/v1/views/${id}`],
    ] as const) {
      const { status, json } = await here.rest(method, path, { token: given.token, ...(body && { body }) })
      assert.equal(status, 403, `${method} ${path}`)
      assert.equal(json.code, 'insufficient_scope')
    }
  assert.deepEqual(
    (await views(one.as)).map(({ query }) => query),
    ['need=down'],
  )
})

test('what is no filter of the list is refused, and so is what is too long or too much', async () => {
  const { as } = await somebody()
  const wrong = async (name: string, query: string, path: string) =>
    assert.rejects(save(as, name, query), (error: { code: string; errors: { path: string; message: string }[] }) => {
      assert.equal(error.code, 'invalid_payload')
      assert.deepEqual(
        error.errors.map((each) => each.path),
        [path],
      )
      return true
    })
  for (const query of [
    'cursor=x',
    'need=nothing',
    'q=',
    'need=down&need=backup',
    'next=//evil.example',
    'order=<b>',
    `q=${'x'.repeat(201)}`,
  ])
    await wrong('x', query, 'query')
  // 200 letters that an address writes with nine characters each, in two filters.
  await wrong('x', `q=${encodeURIComponent('…'.repeat(200))}&client=${encodeURIComponent('…'.repeat(200))}`, 'query')
  await wrong('x', `q=x&${'&'.repeat(2_000)}`, 'query')
  for (const name of ['', '  ', 'x'.repeat(61)]) await wrong(name, '', 'name')
  for (let n = 0; n < 50; n++) await save(as, `View ${n}`, 'need=down')
  await assert.rejects(save(as, 'One more', ''), { code: 'conflict' })
  assert.equal((await save(as, 'View 7', 'need=backup')).query, 'need=backup', 'one there is may still be changed')
  assert.equal((await views(as)).length, 50)
})

test('of many saved at once there are fifty', async () => {
  const { as } = await somebody()
  for (let n = 0; n < 45; n++) await save(as, `View ${n}`)
  const ended = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => save(as, `At once ${n}`)))
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 5)
  assert.equal((await views(as)).length, 50)
})

test('a viewer saves none, and who leaves takes theirs along', async () => {
  const viewer = await somebody('viewer')
  assert.equal((await viewer.desk.send('POST', '/api/v1/views', { name: 'x', query: '' })).status, 403)
  assert.deepEqual((await viewer.desk.send('GET', '/api/v1/views')).json, [])
  const owner = await somebody('owner')
  const { id, as } = await somebody()
  await save(as, 'Mine')
  await here.call('members.remove', { user_id: id }, owner.as)
  const { rows } = await sql<{ n: string }>`SELECT count(*) AS n FROM views WHERE user_id = ${id}`.execute(here.world.db)
  assert.equal(Number(rows[0]?.n), 0)
  await assert.rejects(save(as, 'Again'), { code: 'not_found' })
})
