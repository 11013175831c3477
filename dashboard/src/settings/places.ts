import { t } from '../text.ts'

const places = {
  '/settings': { label: t('General') },
  '/settings/notifications': { label: t('Notifications') },
  '/settings/backups': { label: t('Backups and retention') },
  '/settings/policies': { label: t('Approval policies'), managers: true },
  '/settings/audit': { label: t('Audit log'), managers: true },
  '/settings/service': { label: t('Feed, keys and danger zone') },
} as const

export type SettingsPlace = keyof typeof places

/** The pages of the settings that somebody may see: path and label. */
export const settingsPlaces = (manages: boolean) =>
  Object.entries(places).flatMap(([path, place]): [string, string][] => ('managers' in place && !manages ? [] : [[path, place.label]]))
