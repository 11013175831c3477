import { Link } from 'wouter'
import { useMay } from '../session.tsx'
import { type SettingsPlace, settingsPlaces } from './places.ts'

export const SettingsNav = ({ here }: { here: SettingsPlace }) => (
  <nav className="subnav" aria-label="Settings">
    {settingsPlaces(useMay('manage')).map(([path, label]) => (
      <Link key={path} href={path} aria-current={path === here ? 'page' : undefined}>
        {label}
      </Link>
    ))}
  </nav>
)
