import type { Item } from '../api.ts'
import { t } from '../text.ts'

export type Role = Item<'members.list'>['role']

export const roles: { value: Role; label: string; about: string }[] = [
  { value: 'owner', label: t('Owner'), about: t('Everything, owners too.') },
  { value: 'admin', label: t('Admin'), about: t('Everything but owners: tokens, members, adding and removing sites.') },
  { value: 'member', label: t('Member'), about: t('Works on sites: backups, updates, logins.') },
  { value: 'viewer', label: t('Viewer'), about: t('Looks, and changes nothing; a client’s own people see their sites alone.') },
]
