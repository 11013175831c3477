// What happened becomes notices, once for each episode, and those go by the rules into messages that wait a little for what belongs to them.
import { endOfHours } from '../kernel/calendar.ts'
import { newId } from '../kernel/ids.ts'
import type { World } from '../world.ts'
import {
  addToDelivery,
  type Happening,
  insertNotices,
  listEndingCertificates,
  listRulesOf,
  type NewNotice,
  type RuleOf,
  takeHappenings,
} from './gather-store.ts'
import type { Kind, Quiet } from './schema.ts'

const most = 500
/** What happens within it is one message: the outage of a host, not of each of its sites. */
const groupMs = 20_000
/** Sites of one host are found down, and back, one after another: as long as more come, the message waits for them. */
const comesInMany: readonly Kind[] = ['site_down', 'site_back']
const dayMs = 86_400_000
/** Days before a certificate ends at which it is told. */
const certificateDays = [1, 3, 7, 14] as const

/** The duty: until nothing is left. */
export async function gather(world: World): Promise<void> {
  while (!world.stopping.aborted && (await gatherSome(world)) === most);
}

function gatherSome(world: World): Promise<number> {
  return world.db.transaction().execute(async (db) => {
    const happened = await takeHappenings(db, world.now(), most)
    await announce(
      { ...world, db },
      happened.map((each) => ({ ...each, key: `${each.kind} ${each.subject_id}${each.episode === null ? '' : ` ${each.episode}`}` })),
    )
    return happened.length
  })
}

/** The duty: certificates that end within two weeks, told again as the end comes nearer. */
export async function gatherCertificates(world: World): Promise<void> {
  const now = world.now()
  const ending = await listEndingCertificates(world.db, now, Math.max(...certificateDays))
  const happened = ending.map(({ ends_at, ...each }) => {
    const left = (ends_at.getTime() - now.getTime()) / dayMs
    const step = left <= 0 ? 0 : (certificateDays.find((days) => left <= days) ?? 0)
    const message = left <= 0 ? 'Its certificate has ended.' : `Its certificate ends on ${ends_at.toISOString().slice(0, 10)}.`
    return { ...each, kind: 'certificate_expiring' as const, message, key: `certificate ${each.site_id} ${ends_at.toISOString()} ${step}` }
  })
  await world.db.transaction().execute((db) => announce({ ...world, db }, happened))
}

type Telling = Omit<Happening, 'seq' | 'episode'> & { key: string }

async function announce({ db, now }: Pick<World, 'db' | 'now'>, happened: readonly Telling[]): Promise<void> {
  if (happened.length === 0) return
  const notices = happened.map((each) => ({ ...noticeOf(each, newId('notice', now())), of: each }))
  const fresh = await insertNotices(
    db,
    notices.map(({ of: _, ...notice }) => notice),
  )
  const rules = await listRulesOf(db, [...new Set(happened.map(({ workspace_id }) => workspace_id))])
  const lines = new Map<string, { rule: RuleOf; noticeIds: Set<string>; dueAt: Date; waits: boolean }>()
  for (const { id, of } of notices.filter((notice) => fresh.has(notice.id)))
    for (const rule of rules.filter((each) => fits(each, of))) {
      const dueAt = dueOf(rule.quiet, now())
      const key = `${rule.workspace_id} ${rule.channel_id}`
      const line = lines.get(key) ?? { rule, noticeIds: new Set(), dueAt, waits: false }
      const earliest = new Date(Math.min(dueAt.getTime(), line.dueAt.getTime()))
      const waits = line.waits || (comesInMany.includes(of.kind) && dueAt.getTime() - now().getTime() <= groupMs)
      lines.set(key, { rule, noticeIds: line.noticeIds.add(id), dueAt: earliest, waits })
    }
  for (const { rule, noticeIds, ...line } of lines.values()) {
    const { workspace_id: workspaceId, channel_id: channelId } = rule
    await addToDelivery(db, { workspaceId, channelId, noticeIds: [...noticeIds], ...line, newId: newId('delivery', now()) }, now())
  }
}

function noticeOf({ workspace_id, kind, site_id, subject_id, happened_at, message, key }: Telling, id: string): NewNotice {
  return { id, workspace_id, key, kind, site_id, subject_id, happened_at, message: message ?? 'No more is known.' }
}

function fits(rule: RuleOf, { workspace_id, kind, site_id, tags, client }: Telling): boolean {
  return (
    rule.workspace_id === workspace_id &&
    (rule.kinds === null || rule.kinds.includes(kind)) &&
    (rule.site_id === null || rule.site_id === site_id) &&
    (rule.tag === null || tags.includes(rule.tag)) &&
    (rule.client === null || rule.client === client)
  )
}

/** A little later, or at the end of the quiet hours. */
export function dueOf(quiet: Quiet | null, now: Date): Date {
  const soon = new Date(now.getTime() + groupMs)
  return quiet === null ? soon : (endOfHours(quiet, quiet.time_zone, now) ?? soon)
}
