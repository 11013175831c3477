import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mustBeHardToGuess, tooEasy } from './guessable.ts'

const refused = (password: string, email = 'ann@example.com', field?: string) =>
  mustBeHardToGuess(password, email, field).then(
    () => null,
    ({ code, errors }) => [code, ...errors.map((each: { path: string; message: string }) => `${each.path}: ${each.message}`)],
  )

test('what is guessed first is refused, with the field it was typed into', async () => {
  for (const password of ['password1234', 'P@ssw0rd2026!', '123456789012', 'qwertyuiop12', 'abcabcabcabc', 'iloveyou1234', 'x'.repeat(200)])
    assert.deepEqual(await refused(password), ['invalid_payload', `password: ${tooEasy}`], password)
  assert.deepEqual(await refused('zxcvbnm,./123', undefined, 'next'), ['invalid_payload', `next: ${tooEasy}`])
})

test('so is what is made of the person’s own address', async () => {
  const own = 'wolkenbruch-agentur'
  assert.equal(await refused(own), null)
  assert.deepEqual((await refused(own, 'kontakt@wolkenbruch-agentur.example'))?.[0], 'invalid_payload')
})

test('a few words, and what a generator made, are taken', async () => {
  for (const password of [
    'correct horse battery',
    'a password of mine',
    'blue-harbour-77',
    'qK7fH2mPzR9s',
    'грустный синий кот',
    '雨の日の黄色い傘と長靴',
  ])
    assert.equal(await refused(password), null, password)
})

test('a long one is looked at no longer than its first 48 characters', async () => {
  const strong = 'qK7fH2mPzR9s4vXc'
  assert.equal(await refused('abc'.repeat(10) + strong), null)
  assert.equal((await refused('abc'.repeat(16) + strong))?.[0], 'invalid_payload')
})
