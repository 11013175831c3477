import assert from 'node:assert/strict'

/** What a promise fails with, which must be of this kind. */
export async function failureOf<Kind extends Error>(kind: new (...words: never[]) => Kind, promise: Promise<unknown>): Promise<Kind> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof kind, `a ${kind.name}, not ${String(error)}`)
  return error
}
