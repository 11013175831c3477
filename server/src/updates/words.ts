// What the connector says in codes, for people.
import { siteSaid } from '../connector/clean.ts'
import { plainWord, quoted, type Why } from '../kernel/site-said.ts'
import type { Updatable } from './schema.ts'

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
