import type { Item } from '../api.ts'

export type Role = Item<'members.list'>['role']

export const roles: { value: Role; label: string; about: string }[] = [
  { value: 'owner', label: 'Owner', about: 'Everything, owners too.' },
  { value: 'admin', label: 'Admin', about: 'Everything but owners: tokens, members, adding and removing sites.' },
  { value: 'member', label: 'Member', about: 'Works on sites: backups, updates, logins.' },
  { value: 'viewer', label: 'Viewer', about: 'Looks, and changes nothing; a client’s own people see their sites alone.' },
]
