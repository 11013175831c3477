const places = {
  '/settings': { label: 'General' },
  '/settings/notifications': { label: 'Notifications' },
  '/settings/backups': { label: 'Backups and retention' },
  '/settings/policies': { label: 'Approval policies', managers: true },
  '/settings/audit': { label: 'Audit log', managers: true },
  '/settings/service': { label: 'Feed, keys and danger zone' },
} as const

export type SettingsPlace = keyof typeof places

/** The pages of the settings that somebody may see: path and label. */
export const settingsPlaces = (manages: boolean) =>
  Object.entries(places).flatMap(([path, place]): [string, string][] => ('managers' in place && !manages ? [] : [[path, place.label]]))
