import { t } from '../text.ts'

/** What a browser calls itself, in two words. */
export function browserOf(agent: string): string {
  const name = [/Edg/, /OPR/, /Firefox/, /Chrom/, /Safari/, /curl/].find((each) => each.test(agent))?.source
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Chrom: 'Chrome' }
  if (!name) return agent || t('not told')
  const browser = names[name] ?? name
  return system ? t('{browser} on {system}', { browser, system }) : browser
}
