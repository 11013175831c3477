import { useMay } from '../session.tsx'
import { t } from '../text.ts'
import { SubNav } from '../ui/SubNav.tsx'
import { type SettingsPlace, settingsPlaces } from './places.ts'

export const SettingsNav = ({ here }: { here: SettingsPlace }) => (
  <SubNav
    label={t('Settings')}
    places={settingsPlaces(useMay('manage')).map(([path, label]) => ({ path, label, current: path === here }))}
  />
)
