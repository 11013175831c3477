import { useMay } from '../session.tsx'
import { SubNav } from '../ui/SubNav.tsx'
import { type SettingsPlace, settingsPlaces } from './places.ts'

export const SettingsNav = ({ here }: { here: SettingsPlace }) => (
  <SubNav label="Settings" places={settingsPlaces(useMay('manage')).map(([path, label]) => ({ path, label, current: path === here }))} />
)
