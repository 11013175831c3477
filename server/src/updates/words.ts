// What the connector says in codes, for people.
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

/** A sentence for a code; WordPress's own words as they are. */
export function inWords(reason: string): string {
  const needs = /^needs_(wordpress|php)_(.{1,20})$/.exec(reason)
  if (needs) return `It needs ${needs[1] === 'php' ? 'PHP' : 'WordPress'} ${needs[2]}.`
  return WORDS[reason] ?? reason
}
