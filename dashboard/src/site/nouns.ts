// What the pages of a site are about.
import type { Item, Output } from '../api.ts'

export type Site = Output<'sites.get'>
export type Backup = Item<'backups.list'>
