import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { t } from './text.ts'

const accent: MantineColorsTuple = [
  '#e8f1fb',
  '#cfe2f7',
  '#a5c9f0',
  '#7cb8f5',
  '#4c97e0',
  '#2a7cca',
  '#176cba',
  '#0b5fb0',
  '#094f94',
  '#073d73',
]

/** Colours with enough contrast for text in both schemes; the rest of the look is in app.css. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 7 },
  colors: { accent },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } } },
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // A dialog's header is no banner of the page.
    Modal: {
      defaultProps: {
        attributes: { header: { role: 'presentation' } },
        centered: true,
        closeButtonProps: { 'aria-label': t('Close') },
        transitionProps: { duration: 120 },
      },
    },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('Toggle password visibility') } } },
    Select: { defaultProps: { allowDeselect: false, comboboxProps: { shadow: 'md' } } },
  },
})
