import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import { newId } from './ids.ts'
import { mayWait, plans, type Scope } from './operation.ts'
import { run } from './run.ts'

const scopes: Scope[] = ['read', 'write', 'manage']

/** The door, tried for every operation there is and ever will be. */
describe('authorization', () => {
  let here: TestWorld
  let mine: string
  let asker: string
  const request = () => ({ face: 'api' as const, requestId: newId('req', new Date()) })

  before(async () => {
    here = await aWorld()
    mine = (await here.site()).id
    asker = (await here.token('write', { approval_only: true })).id
  })
  after(() => here.close())

  for (const operation of operations) {
    /** To be done, and not only planned. */
    const example = () => ({
      ...operation.example,
      ...('site_id' in operation.example && { site_id: mine }),
      ...('dry_run' in operation.example && { dry_run: false }),
    })
    const refusedWith = (caller: Parameters<TestWorld['caller']>[0] | null, raw: unknown, code: string) =>
      assert.rejects(run(here.world, operation, { ...request(), caller: caller === null ? undefined : here.caller(caller) }, raw), { code })

    test(`${operation.name} refuses a caller nobody knows`, () => refusedWith(null, example(), 'unauthenticated'))

    test(`${operation.name} refuses a caller with every scope but its own`, () =>
      refusedWith({ scopes: new Set(scopes.filter((scope) => scope !== operation.scope)) }, example(), 'insufficient_scope'))

    test(`${operation.name} says nothing about the input to a caller it refuses`, () =>
      refusedWith({ scopes: new Set() }, { nonsense: 1 }, 'insufficient_scope'))

    test(`${operation.name} names a field that does not exist`, async () => {
      await assert.rejects(run(here.world, operation, { ...request(), caller: here.caller() }, { ...example(), nonsense: 1 }), (error) => {
        assert.equal((error as { code: string }).code, 'invalid_payload')
        assert.deepEqual((error as { errors: unknown }).errors, [{ path: 'nonsense', message: 'There is no such field. Leave it out.' }])
        return true
      })
    })

    test(`${operation.name} agrees with itself about what it does`, () => {
      const methods = [operation.http].flat().map((http) => http.split(' ')[0])
      if (methods.includes('GET')) assert.equal(operation.effect, 'read')
      if (methods.includes('DELETE')) assert.equal(operation.effect, 'destroy')
      if (operation.effect === 'read' && !operation.action) assert.ok(!methods.includes('POST'))
      if (operation.tool) assert.notEqual(operation.scope, 'manage', 'an agent can never manage')
      assert.ok(operation.input.safeParse(operation.example).success, 'its example is valid')
    })

    if (mayWait(operation))
      test(`${operation.name} is not done for a token that needs approvals: a person is asked, once`, async () => {
        const caller = here.caller({ type: 'token', id: asker, scopes: new Set(['read', 'write']), approvalOnly: true })
        // What a look at the site brought is kept for a minute, for all tokens.
        await here.call('tweaks.list', { site_id: mine }, { caller })
        await here.call('inventory.get', { site_id: mine }, { caller })
        const waiting = async () => (await here.call('approvals.list', { status: 'pending', by: asker })).total as number
        const [state, before] = [await stateOf(here.world, ['approvals']), await waiting()]
        const ask = () =>
          run(here.world, operation, { ...request(), caller }, example()).then(
            ({ output, awaiting }) => (awaiting ? (output as { approval_id: string }).approval_id : 'done'),
            ({ code }: { code: string }) => code,
          )
        const [told, again] = [await ask(), await ask()]
        // The examples name things that are not there.
        assert.ok(told.startsWith('apr_') || ['not_found', 'conflict', 'invalid_payload'].includes(told), told)
        assert.equal(again, told)
        assert.equal(await stateOf(here.world, ['approvals']), state)
        assert.equal(await waiting(), before + (told.startsWith('apr_') ? 1 : 0))
        if (told.startsWith('apr_')) await here.call('approvals.cancel', { approval_id: told }, { caller })
      })

    if (plans(operation))
      test(`${operation.name} tells its plan to whoever may read, and does nothing`, async () => {
        // What a look at the site brought is kept for a minute, for all tokens.
        const careful = [
          here.caller({ scopes: new Set<Scope>(['read']) }),
          here.caller({ scopes: new Set<Scope>(['read', 'write']), approvalOnly: true }),
        ]
        await here.call('tweaks.list', { site_id: mine }, { caller: careful[0] })
        const state = await stateOf(here.world)
        for (const caller of careful) {
          const asked = run(here.world, operation, { ...request(), caller }, { ...example(), dry_run: true })
          const told = await asked.then(
            ({ output }) => (output as { dry_run: boolean }).dry_run,
            ({ code }: { code: string }) => code,
          )
          assert.ok([true, 'not_found', 'invalid_payload'].includes(told), String(told))
        }
        const reader = { scopes: new Set<Scope>(['read']) }
        for (const dry_run of [false, 'true', 1, null, undefined])
          await refusedWith(reader, { ...example(), dry_run }, 'insufficient_scope')
        await refusedWith({ scopes: new Set() }, { ...example(), dry_run: true }, 'insufficient_scope')
        const broken = () => {
          throw new SyntaxError('no JSON')
        }
        await refusedWith(reader, broken, 'insufficient_scope')
        assert.equal(await stateOf(here.world), state)
      })
  }
})
