import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { randomOf } from '../../test/fuzz-requests.ts'
import { asMember } from '../../test/people.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Caller } from '../kernel/context.ts'
import { Problem } from '../kernel/problem.ts'

/** Random histories of asking, changing, approving, declining, expiring, revoking, crashing and other policies: nothing is done that nobody approved as it stood and no policy lets be done. */
const histories = Number(process.env.APPROVAL_HISTORIES ?? 24)
/** In one test, so that no number of them is too many for its time. */
const together = 50
const seed = Number(process.env.APPROVAL_SEED ?? 20_261_123)

let here: TestWorld
let sites: string[]
before(async () => {
  here = await aWorld()
  sites = [(await here.site()).id, (await here.site()).id]
})
after(() => here.close())

interface Asked {
  id: string
  tag: string
  by: string
  /** What it was about when it was asked for. */
  sites: string[]
}

const counts: Record<string, number> = {}
for (let first = 0; first < histories; first += together) {
  const last = Math.min(histories, first + together)
  test(`random histories ${first} to ${last} (APPROVAL_SEED=${seed})`, () => live(first, last))
}

test('every kind of step was taken in them', () => assert.ok(Math.min(...Object.values(counts)) > 5, JSON.stringify(counts)))

async function live(first: number, last: number): Promise<void> {
  const { pick } = randomOf(seed + first)
  const owners = [await asMember(here), await asMember(here, 'admin')] as const
  let tags = first * 1000
  for (let history = first; history < last; history++) {
    const asked: Asked[] = []
    const group = `group-${history}`
    const members = new Set<string>()
    let agent = await anAgent()
    const revoked = new Set<string>()
    const agents = new Set([agent.id])
    let backups: 'auto' | 'ask' | 'never' = 'ask'
    const set = async (decision: typeof backups) => {
      const caller = { ...owners[0], factorAt: here.world.now() }
      await here.call('policies.set', { effect: 'backups', decision }, { caller })
      backups = decision
    }

    /** A refusal is fine; a fault is not, but for those that were planted. */
    const quietly = (work: Promise<unknown>) =>
      work.catch((error: unknown) => {
        if (!(error instanceof Problem) && !(error as Error).message.includes('planted')) throw error
      })
    const call = (name: string, input: object, caller: Caller) => quietly(here.call(name, input, { caller }))

    const steps: Record<string, () => Promise<unknown>> = {
      async ask() {
        const tag = `tag-${++tags}`
        const told = (await call('sites.set', { site_id: sites[0], tags: [tag] }, agent)) as { approval_id?: string } | undefined
        if (told?.approval_id) asked.push({ id: told.approval_id, tag, by: agent.id, sites: [sites[0] ?? ''] })
      },
      async askMany() {
        const input = { client: group, type: pick(['db', 'files'] as const) }
        const told = (await call('backups.create', input, agent)) as { approval_id?: string } | undefined
        if (told && !told.approval_id) assert.equal(backups, 'auto', 'done at once though no policy lets it')
        if (told?.approval_id && !asked.some(({ id }) => id === told.approval_id))
          asked.push({ id: told.approval_id, tag: '', by: agent.id, sites: [...members].sort() })
      },
      async move() {
        const site = sites[1] ?? ''
        const joins = !members.has(site)
        await here.call('sites.set', { site_id: site, client: joins ? group : '' })
        if (joins) members.add(site)
        else members.delete(site)
      },
      approve: async () => asked.length > 0 && call('approvals.approve', { approval_id: pick(asked).id }, pick(owners)),
      async approveTwice() {
        if (asked.length === 0) return
        const { id } = pick(asked)
        await Promise.all(owners.map((owner) => call('approvals.approve', { approval_id: id }, owner)))
      },
      deny: async () => asked.length > 0 && call('approvals.deny', { approval_id: pick(asked).id }, pick(owners)),
      cancel: async () => asked.length > 0 && call('approvals.cancel', { approval_id: pick(asked).id }, agent),
      async revoke() {
        const { id } = agent
        const racing = asked.length > 0 ? [call('approvals.approve', { approval_id: pick(asked).id }, pick(owners))] : []
        await Promise.all([here.call('tokens.revoke', { token_id: id }), ...racing])
        revoked.add(id)
        agent = await anAgent()
        agents.add(agent.id)
      },
      policy: () => set(pick(['auto', 'ask', 'never'] as const)),
      async time() {
        here.clock.add(pick([1, 6, 13]) * 3_600_000)
      },
      async demote() {
        const role = pick(['member', 'admin'])
        await sql`UPDATE members SET role = ${role} WHERE user_id = ${owners[1].id}`.execute(here.world.db)
      },
      async crash() {
        if (asked.length === 0) return
        const { audit } = here.world
        here.world.audit = (entry, db) =>
          entry.caller_type === 'token' && entry.outcome === 'ok' && db ? Promise.reject(new Error('planted')) : audit(entry, db)
        await call('approvals.approve', { approval_id: pick(asked).id }, owners[0])
        here.world.audit = audit
      },
    }
    const names = Object.keys(steps)
    for (let step = 0; step < 12; step++) {
      const name = step < 2 ? pick(['ask', 'askMany', 'move']) : pick(names)
      const before = await tagOf()
      const known = await dispatched(asked)
      await steps[name]?.()
      counts[name] = (counts[name] ?? 0) + 1
      const now = await tagOf()
      if (now !== before) {
        const cause = asked.find(({ tag }) => tag === now)
        assert.ok(
          cause && (await dispatched(asked)).has(cause.id) && !known.has(cause.id),
          `${history}.${step} ${name}: ${now} was not approved now`,
        )
      }
    }
    await judge(asked, revoked)
    await judgePolicies([...agents])
    await set('ask')
    await here.call('sites.set', { site_id: sites[1], client: '' })
  }
}

async function anAgent(): Promise<Caller> {
  const { id } = await here.token('write', { approval_only: true })
  return here.caller({ type: 'token', id, name: 'test', scopes: new Set(['read', 'write']), approvalOnly: true })
}

async function tagOf(): Promise<string> {
  const { rows } = await sql<{ tags: string[] }>`SELECT tags FROM sites WHERE id = ${sites[0]}`.execute(here.world.db)
  return rows[0]?.tags.join() ?? ''
}

async function dispatched(asked: Asked[]): Promise<Set<string>> {
  const ids = asked.map(({ id }) => id)
  const { rows } = await sql<{ id: string }>`SELECT id FROM approvals WHERE id = ANY(${ids}) AND status = 'dispatched'`.execute(
    here.world.db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** What was done without a person, was done as a policy that holds at that moment lets it, once; nothing began that has no approval. */
async function judgePolicies(agents: string[]): Promise<void> {
  const { rows } = await sql<{ wrong: number }>`SELECT count(*)::int AS wrong FROM approvals a
    LEFT JOIN approval_policies p ON (p.workspace_id, p.version) = (a.workspace_id, (a.policy->>'version')::int)
    WHERE a.requested_by->>'id' = ANY(${agents}) AND a.decided_by->>'type' = 'system'
      AND (p.rules @> '[{"effect": "backups", "decision": "auto"}]' IS NOT TRUE OR a.operation <> 'backups.create'
        OR (SELECT count(*) FROM rollouts r WHERE r.approval_id = a.id) <> 1)`.execute(here.world.db)
  assert.equal(rows[0]?.wrong, 0)
  const { rows: begun } = await sql`SELECT 1 FROM rollouts WHERE requested_by->>'id' = ANY(${agents}) AND approval_id IS NULL`.execute(
    here.world.db,
  )
  assert.equal(begun.length, 0)
}

/** Each request of a history, against what the database holds of it and of its effects. */
async function judge(asked: Asked[], revoked: Set<string>): Promise<void> {
  for (const { id, tag, by, sites: shown } of asked) {
    const { rows } = await sql<{
      status: string
      in_time: boolean
      before_revoked: boolean
      begun: number
      sites: string[]
    }>`SELECT a.status,
        a.decided_at < a.expires_at AS in_time, t.revoked_at IS NULL OR a.dispatched_at <= t.revoked_at AS before_revoked,
        (SELECT count(*)::int FROM rollouts r WHERE r.approval_id = a.id) AS begun,
        coalesce((SELECT array_agg(s.site_id ORDER BY s.site_id) FROM rollouts r JOIN rollout_sites s ON s.rollout_id = r.id WHERE r.approval_id = a.id), '{}') AS sites
      FROM approvals a JOIN tokens t ON t.id = a.requested_by->>'id' WHERE a.id = ${id}`.execute(here.world.db)
    const [row] = rows
    assert.ok(row, id)
    if (tag === '') assert.equal(row.begun, row.status === 'dispatched' ? 1 : 0, `${id} is ${row.status}`)
    if (row.status !== 'dispatched') {
      if (revoked.has(by)) assert.notEqual(row.status, 'pending')
      continue
    }
    assert.ok(row.in_time && row.before_revoked, id)
    if (tag === '') assert.deepEqual(row.sites, shown, 'exactly on the sites that were shown')
  }
}
