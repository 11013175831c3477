// Whose reports these seem to be, and how those for one client look.
import type { Client } from '../clients/schema.ts'
import { readLogo } from '../clients/store.ts'
import { languages } from '../kernel/languages.ts'
import type { Context } from '../world.ts'
import type { Appearance } from './page.ts'
import type { House, NewSettings, Settings } from './schema.ts'
import { readSettings, writeSettings } from './store.ts'

type Here = Pick<Context, 'db' | 'workspaceId' | 'config'>

const product = 'Svc'

export async function houseOf(context: Here): Promise<House> {
  const { workspace, sender, link_base, ...rest } = await readSettings(context)
  return { ...rest, sender: sender ?? workspace, link_base: link_base ?? context.config.baseUrl }
}

export async function appearanceOf(context: Here, client: Client): Promise<Appearance> {
  const { sender, mentions_product } = await houseOf(context)
  const { name, language, time_zone, colour, paper } = client
  const logo = await readLogo(context, client.id)
  return { client: name, sender, language, time_zone, colour, paper, logo, product: mentions_product ? product : undefined }
}

export async function readHouse(context: Here): Promise<Settings> {
  const { workspace: _, ...settings } = await readSettings(context)
  const { chromium, smtpUrl } = context.config
  return { ...settings, languages, prints_pdf: chromium !== undefined, sends_mail: smtpUrl !== undefined }
}

export async function setHouse(context: Here, given: NewSettings): Promise<Settings> {
  const known = await readHouse(context)
  const text = (name: 'sender' | 'reply_to' | 'link_base') => (given[name] === undefined ? known[name] : given[name] || null)
  const { mentions_product = known.mentions_product } = given
  await writeSettings(context, { sender: text('sender'), reply_to: text('reply_to'), link_base: text('link_base'), mentions_product })
  return readHouse(context)
}
