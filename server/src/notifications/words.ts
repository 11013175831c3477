// What a message says: what several notices come to, for a person and for a program.
import { clean } from '../connector/clean.ts'
import { domainOf } from '../sites/address.ts'
import { type Kind, kinds, type Notice } from './schema.ts'

const mostNamed = 20

export interface Message {
  id: string
  workspaceId: string
  workspace: string
  notices: readonly Notice[]
}

/** One line: what happened to how many. */
export function subjectOf({ notices, workspace }: Message): string {
  const [first] = notices
  if (!first) return clean(`Notification of ${workspace}`, 200)
  if (notices.length === 1) return clean(`${nameOf(first)} ${kinds[first.kind][0]}: ${first.message}`, 200)
  const groups = grouped(notices)
  const parts = groups.slice(0, 3).map(([kind, all]) => sitesOf(kind, all))
  return clean(`${parts.join(', ')}${groups.length > 3 ? ` and ${groups.length - 3} more kinds` : ''}`, 200)
}

/** Plain text, a line for each thing that happened; of very many of a kind only some are named. */
export function textOf({ notices, workspace }: Message): string {
  const parts = grouped(notices).map(([kind, all]) => {
    const named = all.slice(0, mostNamed).map((notice) => `- ${nameOf(notice)}: ${clean(notice.message, 300)} (${notice.happened_at})`)
    const more = all.length > mostNamed ? [`- and ${all.length - mostNamed} more`] : []
    return [...(all.length > 1 ? [`${sitesOf(kind, all)}:`] : []), ...named, ...more].join('\n')
  })
  return `${parts.join('\n\n')}\n\nWorkspace: ${clean(workspace, 100)}`
}

/** An incoming webhook of Slack: text, with the three characters escaped that it reads as its own. */
export const slackOf = (message: Message) => ({
  text: `*${escaped(subjectOf(message))}*\n${escaped(textOf(message))}`.slice(0, 12_000),
})

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** For programs: everything, and nothing that has to be parsed. */
export const webhookOf = ({ workspaceId, notices }: Message, at: Date) => ({
  type: 'notices',
  timestamp: at.toISOString(),
  data: { workspace_id: workspaceId, notices },
})

const nameOf = ({ site_url }: Notice) => (site_url === null ? several : domainOf(site_url))
/** What is about no single site. */
const several = 'The workspace'

function sitesOf(kind: Kind, all: readonly Notice[]): string {
  const sites = [...new Set(all.map(nameOf))]
  const [one, many] = kinds[kind]
  return sites.length === 1 ? `${sites[0]} ${one}` : `${sites.length} sites ${many}`
}

function grouped(notices: readonly Notice[]): [Kind, Notice[]][] {
  const groups = new Map<Kind, Notice[]>()
  for (const notice of notices) groups.set(notice.kind, [...(groups.get(notice.kind) ?? []), notice])
  return [...groups]
}
