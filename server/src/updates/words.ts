// What the connector says in codes, for people.
import { siteSaid } from '../connector/clean.ts'
import { unheardSince } from '../inventory/heard.ts'
import { counted, type JobSummary } from '../kernel/job.ts'
import { plainWord, quoted, type Why } from '../kernel/site-said.ts'
import type { ItemResult, Updatable, UpdateResult } from './schema.ts'

const WORDS: Record<string, string> = {
  not_installed: 'It is not installed any more.',
  not_offered: 'That version is no longer on offer.',
  connector_itself: 'The connector is not replaced by a job that needs it. Upload its new version in WordPress (docs/connector.md).',
  file_mods_disallowed: 'wp-config.php forbids changes of files (DISALLOW_FILE_MODS).',
  no_package: 'There is no download for it, usually for want of a licence.',
  filesystem_not_direct: 'WordPress may not write files there without FTP credentials.',
  not_writable: 'WordPress cannot write to its folder.',
  folder_is_a_link: 'Its folder is a link to another place.',
  disk_full: 'There is too little disk space.',
  core_update_running: 'An update of WordPress is running, or was killed less than 15 minutes ago.',
  unchanged: 'WordPress reported no error, but the version in the files did not change.',
  another_folder: 'The package has another folder than its own, or more than one; nothing of it was installed.',
  no_main_file: 'The package does not hold what is to be updated; nothing of it was installed.',
  folder_for_a_file:
    'Here it is a single file, and its package is a folder, which WordPress would put beside it: delete it and install it anew once.',
  climbs_out: 'The package holds files that lead out of its folder; nothing of it was installed.',
  wrong_version: 'The package holds another version than the one that was offered.',
}

export const versionInWords = (version: string) => plainWord(version) ?? 'of another version'

/** A sentence for a code; beside one of ours the words of WordPress. */
export function inWords(reason: string): Why {
  const [, what, version = ''] = /^needs_(wordpress|php)_(.{1,20})$/.exec(reason) ?? []
  if (what !== undefined) return { message: `It needs ${what === 'php' ? 'PHP' : 'WordPress'} ${versionInWords(version)}.` }
  if (reason === '') return { message: 'The site gave no reason.' }
  const message = Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined
  return message === undefined ? { message: 'WordPress did not install it.', siteSaid: siteSaid(reason) } : { message }
}

/** An item within a sentence of ours: by its folder, since its name may say anything. */
export function nameOf({ type, slug, name }: Pick<Updatable, 'type' | 'slug' | 'name'>): string {
  if (type === 'core') return 'WordPress'
  return type === 'translations' ? name : quoted(slug, `a ${type}`)
}

/** One sentence without its stop. */
export function summaryOf({ status, from_version, to_version, reason, health, ...item }: ItemResult): string {
  const what = nameOf(item)
  const version = (word: string, number: string) => (plainWord(number) === undefined ? '' : ` ${word} ${number}`)
  const to = version('to', to_version)
  if (status === 'skipped') return `${what.charAt(0).toUpperCase()}${what.slice(1)} was not tried: ${asClause(reason)}`
  if (status === 'updated') return `Updated ${what}${version('from', from_version)}${to}`
  if (health?.after?.ok === false) return `The update of ${what}${to} failed${because(reason)} and the site needs a look`
  if (status === 'rolled_back') {
    const became = reason?.startsWith('In its trial') ? 'was not installed' : 'was taken back'
    return `The update of ${what}${to} ${became} because ${asClause(reason)}`
  }
  return `The update of ${what}${to} failed${because(reason)}; the site is as it was`
}

/** What people are told. Of a job that failed nobody knows how it left the site. */
export function happeningOf(result: UpdateResult | undefined): 'update_harmed' | 'update_taken_back' | undefined {
  if (result === undefined || result.items.some(({ health }) => health?.after?.ok === false)) return 'update_harmed'
  return result.items.some(({ status }) => status === 'rolled_back') ? 'update_taken_back' : undefined
}

/** The first of several sentences. */
const because = (reason: string | null) => (reason === null ? '' : ` because ${asClause(/^.*?\.(?= |$)/s.exec(reason)?.[0] ?? reason)}`)

/** A sentence within a sentence. */
export function asClause(reason: string | null): string {
  const text = (reason ?? 'the site was not as healthy as before').replace(/\.$/, '')
  return /^(The|A|It|In|There|That|Its|This|No) /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** Told one by one; a bad evening is told whole. */
const shown = 6

/** What the items of a job come to. */
export function toldOf({ items, offers_heard_at: heard }: Pick<UpdateResult, 'items' | 'offers_heard_at'>): JobSummary {
  const tried = items.filter(({ status }) => status !== 'already_current')
  const [updated, others] = [tried.filter(isUpdated), tried.filter((item) => !isUpdated(item))]
  const [only] = updated
  const summary = [
    ...(tried.length === 0 && heard === undefined ? ['Everything was up to date'] : []),
    ...(only && updated.length === 1 ? [summaryOf(only)] : []),
    ...(updated.length > 1 ? [`Updated ${counted(updated.length, 'item')}`] : []),
    ...others.slice(0, shown).map(summaryOf),
    ...(others.length > shown ? [`${others.length - shown} more ${others.length - shown === 1 ? 'was' : 'were'} not updated`] : []),
    ...(heard === undefined ? [] : [unheardSince(heard).slice(0, -1)]),
  ].join('; ')
  return { outcome: tried.length === 0 && heard !== undefined ? 'failed' : outcomeOf(updated, others), summary: `${summary}.` }
}

const isUpdated = ({ status }: ItemResult) => status === 'updated'

function outcomeOf(updated: readonly ItemResult[], others: readonly ItemResult[]): JobSummary['outcome'] {
  if (others.length === 0) return 'done'
  if (others.some(({ health }) => health?.after?.ok === false)) return 'failed'
  if (updated.length > 0) return 'partly'
  return others.some(({ status }) => status === 'rolled_back') ? 'taken_back' : 'failed'
}
