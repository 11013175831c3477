import { Readable } from 'node:stream'
import { logEvent } from '../activity/service.ts'
import { nextMonthly } from '../kernel/calendar.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import type { FileAnswer } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { renameRuledClient } from '../notifications/store.ts'
import { announceWithin } from '../platform/signals.ts'
import { renameSeenClient } from '../tokens/store.ts'
import type { Context, Db } from '../world.ts'
import { pictureOf } from './logo.ts'
import type { Client, Schedule } from './schema.ts'
import * as store from './store.ts'

type Settings = Partial<Pick<Client, 'language' | 'time_zone' | 'paper' | 'colour' | 'recipients' | 'hidden' | 'shows_names'>>
type Given = { [Name in keyof Settings]?: Settings[Name] | undefined } & {
  name?: string | undefined
  schedule?: Schedule | undefined
  logo?: string | undefined
}

export async function pageOfClients(context: Context, { q, ...wanted }: Wanted & { q?: string | undefined }) {
  const listing = { list: 'clients', workspaceId: context.workspaceId, filter: { q } }
  const { items: clients, ...page } = await pageOf(listing, wanted, {
    items: (part) => store.listClients(context, q, part),
    total: () => store.countClients(context, q),
    at: ({ name, id }) => [name.toLowerCase(), id],
  })
  return { clients, ...page }
}

/** The client of that id or name; throws `not_found`. */
export async function getClient(context: Db, named: string): Promise<Client> {
  const client = await store.findClient(context, named)
  if (!client)
    throw new Problem('not_found', 'There is no such client in this workspace. clients.list (GET /clients) shows those there are.')
  return client
}

const taken = () => new Problem('conflict', 'There is a client of that name already.', { retryable: false })

export async function createClient(context: Context, { name, ...given }: Given & { name: string }): Promise<Client> {
  const id = newId('client', context.now())
  if (!(await store.insertClient(context, id, name))) throw taken()
  await write(context, await getClient(context, id), given)
  await note(context, 'A client was added')
  return getClient(context, id)
}

/** What is left out stays. */
export async function setClient(context: Context, named: string, { name, ...given }: Given): Promise<Client> {
  const client = await getClient(context, named)
  if (name !== undefined && name !== client.name) await rename(context, client, name)
  await write(context, client, given)
  return getClient(context, client.id)
}

/** Sites, rules of notices and what tokens see follow; every node forgets the tokens as it was told them. */
async function rename(context: Context, client: Client, name: string): Promise<void> {
  if (await store.hasClientNamed(context, name)) throw taken()
  const siteIds = await store.listSiteIds(context, client.name)
  await store.renameClient(context, client.id, name)
  await renameRuledClient(context, client.name, name)
  await renameSeenClient(context, client.name, name)
  await announceWithin(context.db, context.workspaceId)
  for (const id of siteIds) context.touched.add(id)
  await note(context, 'A client was renamed')
}

async function write(context: Context, client: Client, { schedule: given, logo, ...settings }: Given): Promise<void> {
  const picture = logo === undefined ? undefined : pictureOf(logo)
  const known = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Settings
  const schedule = given ?? client.schedule
  const timeZone = known.time_zone ?? client.time_zone
  const moved = given !== undefined || timeZone !== client.time_zone
  const due = schedule.mode === 'off' ? null : nextMonthly(schedule, timeZone, context.now())
  const { mode, day, hour, wait_days } = schedule
  await store.writeClient(context, client.id, {
    ...known,
    ...(moved && { report_mode: mode, report_day: day, report_hour: hour, report_wait: wait_days, report_due_at: due }),
  })
  if (picture !== undefined) await store.writeLogo(context, client.id, picture)
}

/** Its sites stay, and are nobody's. */
export async function removeClient(context: Context, named: string) {
  const client = await getClient(context, named)
  const siteIds = await store.listSiteIds(context, client.name)
  await store.deleteClient(context, client.id)
  for (const id of siteIds) context.touched.add(id)
  await note(context, 'A client was removed, with its reports')
  return { id: client.id, removed: true }
}

const note = (context: Context, summary: string) =>
  logEvent(context, { siteId: null, category: 'other', summary, by: asker(context), internal: true })

export async function logoOf(context: Context, named: string): Promise<FileAnswer> {
  const { id } = await getClient(context, named)
  const logo = await store.readLogo(context, id)
  if (!logo) throw new Problem('not_found', 'This client has no logo. clients.set (POST /clients/{client_id}) gives it one.')
  const ending = logo.type === 'image/png' ? 'png' : 'jpg'
  return { filename: `logo.${ending}`, contentType: logo.type, open: () => Readable.from([logo.bytes]) }
}
