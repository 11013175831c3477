import { NativeSelect } from '@mantine/core'
import { languages } from '../language.ts'
import { t } from '../text.ts'

/** A language in its own words, as whoever reads it looks for it. */
const nameOf = (code: string) => new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code

/** Kept in this browser, as light and dark are; the page is loaded anew with it. */
function choose(code: string): void {
  if (code) localStorage.setItem('language', code)
  else localStorage.removeItem('language')
  location.reload()
}

export const Language = () => (
  <NativeSelect
    label={t('Language of the dashboard')}
    description={t('In this browser. What the service itself says stays English.')}
    value={localStorage.getItem('language') ?? ''}
    data={[{ value: '', label: t('As the browser asks') }, ...languages.map((code) => ({ value: code, label: nameOf(code) }))]}
    onChange={(event) => choose(event.currentTarget.value)}
  />
)
