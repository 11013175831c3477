import { localStorageColorSchemeManager, MantineContext, MantineThemeProvider, useProviderColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { theme } from './theme.ts'

const manager = localStorageColorSchemeManager()
const getRootElement = () => document.documentElement

/** What Mantine's own provider does, but for the variables of the theme: those are in the style of the page (variables.ts), not worked out before anything is drawn. */
export function Look({ nonce, children }: { nonce: string; children: ReactNode }) {
  const scheme = useProviderColorScheme({ manager, defaultColorScheme: 'auto', getRootElement, forceColorScheme: undefined })
  return (
    <MantineContext
      value={{
        ...scheme,
        getRootElement,
        getStyleNonce: () => nonce,
        classNamesPrefix: 'mantine',
        cssVariablesSelector: ':root',
        withStaticClasses: true,
      }}
    >
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </MantineContext>
  )
}
