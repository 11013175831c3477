// What the pages of a site are about.
import type { Item, Output } from '../api.ts'
import { t } from '../text.ts'

export type Site = Output<'sites.get'>
export type Backup = Item<'backups.list'>

/** What a backup holds, within a sentence. */
export const holds: Record<Backup['type'], string> = { full: t('files and database'), db: t('the database'), files: t('the files') }
