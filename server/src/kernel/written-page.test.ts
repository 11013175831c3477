import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CachedAnswer } from './cached-answer.ts'
import { WrittenPage, WrittenPages, writtenPageOf } from './written-page.ts'

const listing = { list: 'jobs', workspaceId: 'ws_1', filter: {} }
const textOf = (...ids: string[]) => JSON.stringify({ total: ids.length, items: ids.map((id) => ({ id })) })
const here = { db: {} }
const at = ({ id }: { id: string }) => [id]
const pageOf = (text: string, wanted = { limit: 2 }, of = listing, shows?: string[]) =>
  writtenPageOf<{ id: string }>({ ...here, shows }, of, wanted, { text: async () => text, at })

/** Counts what it makes. */
function remembering() {
  const pages = new WrittenPages()
  const made: unknown[] = []
  const ask = (page: WrittenPage, operation = 'jobs.list') =>
    pages.answer(operation, page, (value) => {
      made.push(value)
      return new CachedAnswer(value, () => Buffer.from(''))
    })
  return { made, ask }
}

test('a page is made of its text as any other: no more items than asked for, and where the next ones are', async () => {
  const { cursorAfter, ...page } = (await pageOf(textOf('a', 'b', 'c'))).read()
  assert.deepEqual({ ...page, next_cursor: null }, { total: 3, jobs: [{ id: 'a' }, { id: 'b' }], limit: 2, next_cursor: null })
  assert.equal(page.next_cursor, (cursorAfter as (index: number) => string)(1))
  assert.equal((await pageOf(textOf('a', 'b'))).read().next_cursor, null)
})

test('the store is asked for one item more than is shown, behind where the cursor says', async () => {
  const asked: object[] = []
  const text = async (page: object) => {
    asked.push(page)
    return textOf('a', 'b', 'c')
  }
  const { next_cursor: cursor } = (await writtenPageOf<{ id: string }>(here, listing, { limit: 2 }, { text, at })).read()
  await writtenPageOf<{ id: string }>(here, listing, { limit: 2, cursor: String(cursor) }, { text, at })
  assert.deepEqual(asked, [
    { limit: 3, after: undefined },
    { limit: 3, after: ['b'] },
  ])
  await assert.rejects(pageOf('', { limit: 2, cursor: 'made up' } as never), { code: 'invalid_payload' })
})

test('the same text is read once; another one, another question, workspace, operation or choice of fields is read for itself', async () => {
  const { made, ask } = remembering()
  const first = ask(await pageOf(textOf('a')))
  assert.equal(ask(await pageOf(textOf('a'))), first)
  assert.equal(made.length, 1)
  const others = [
    ask(await pageOf(textOf('b'))),
    ask(await pageOf(textOf('b'), { limit: 3 })),
    ask(await pageOf(textOf('b'), { limit: 3 }, { ...listing, workspaceId: 'ws_2' })),
    ask(await pageOf(textOf('b'), { limit: 3 }), 'jobs.brief'),
    ask(await pageOf(textOf('b'), { limit: 3 }, listing, ['id'])),
  ]
  assert.equal(new Set([first, ...others]).size, 6)
  assert.equal(ask(await pageOf(textOf('b'))), others[0])
  // What was told before it changed, and is so again, is no answer that was kept.
  assert.notEqual(ask(await pageOf(textOf('a'))), first)
})

test('of those who ask the same at once one asks the database; another question, choice of fields or database is asked for itself', async () => {
  let asked = 0
  const ask = (limit: number, over: { db?: object; shows?: string[] } = {}) =>
    writtenPageOf<{ id: string }>({ ...here, ...over }, listing, { limit }, { text: async () => textOf(`${++asked}`), at })
  const [first, same, ...others] = await Promise.all([ask(1), ask(1), ask(2), ask(1, { shows: ['id'] }), ask(1, { db: {} })])
  assert.deepEqual([first.text === same.text, new Set([first, ...others].map(({ text }) => text)).size, asked], [true, 4, 4])
  assert.notEqual((await ask(1)).text, first.text)
})

test('what was asked for longest ago is forgotten when there is too much', () => {
  const { made, ask } = remembering()
  const large = (question: string) => new WrittenPage(question, 'x'.repeat(400_000), () => ({}))
  const [a, b] = [large('a'), large('b')]
  const kept = ask(a)
  ask(b)
  assert.equal(ask(a), kept)
  ask(large('c')) // b goes
  assert.equal(ask(a), kept)
  assert.equal(made.length, 3)
  ask(b)
  assert.equal(made.length, 4)
  // One that is too large alone is told, and not kept.
  const huge = new WrittenPage('huge', 'x'.repeat(2_000_000), () => ({}))
  assert.notEqual(ask(huge), ask(huge))
})
