import { Link } from 'wouter'

const parts = {
  '/settings': 'General',
  '/settings/notifications': 'Notifications',
  '/settings/backups': 'Backups and retention',
  '/settings/service': 'Feed, keys and danger zone',
} as const

export const SettingsNav = ({ here }: { here: keyof typeof parts }) => (
  <nav className="subnav" aria-label="Settings">
    {Object.entries(parts).map(([path, label]) => (
      <Link key={path} href={path} aria-current={path === here ? 'page' : undefined}>
        {label}
      </Link>
    ))}
  </nav>
)
