// The variables of the theme, for the style of the page: the build writes them.
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core'
import { theme } from './theme.ts'

/** Those that the library's own style has otherwise, or not at all. */
export function variables(): string {
  const usual = defaultCssVariablesResolver(DEFAULT_THEME)
  const ours = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme))
  const other = (kind: keyof typeof ours) => {
    const known = new Map(Object.entries(usual[kind]))
    return Object.fromEntries(Object.entries(ours[kind]).filter(([name, value]) => known.get(name) !== value))
  }
  return convertCssVariables({ variables: other('variables'), light: other('light'), dark: other('dark') }, ':root')
}
