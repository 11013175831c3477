// What api.wordpress.org answers to a site that asks for updates.
import { TRANSLATION } from './mirror-packages.ts'

/** What the stand-in says is the newest: plugin file, theme folder or core → version. */
export interface Offer {
  plugins?: Record<string, string>
  themes?: Record<string, string>
  core?: string
  /** The PHP that the offered plugins are said to need. */
  requiresPhp?: string
  /** The sample plugin's translation is offered too. */
  translation?: boolean
}
interface Installed {
  Version?: string
  UpdateURI?: string
}

export function pluginUpdates({ plugins = {}, requiresPhp = '7.2', translation = false }: Offer, form: URLSearchParams): object {
  const describe = (file: string, version: string) => {
    const slug = file.split('/')[0] ?? file
    return {
      ...{ id: `w.org/plugins/${slug}`, slug, plugin: file, new_version: version, url: `https://wordpress.org/plugins/${slug}/` },
      ...{
        package: `https://downloads.wordpress.org/plugin/${slug}.${version}.zip`,
        requires: '5.6',
        requires_php: requiresPhp,
        tested: '7.1',
      },
      ...{ icons: {}, banners: {}, banners_rtl: {}, requires_plugins: [] },
    }
  }
  return {
    ...sortedByNews(plugins, installedIn(form, 'plugins'), describe, 'plugins'),
    translations: translation ? translations(form) : [],
  }
}

export function themeUpdates({ themes = {} }: Offer, form: URLSearchParams): object {
  const describe = (theme: string, version: string) => ({
    ...{ theme, new_version: version, url: `https://wordpress.org/themes/${theme}/`, requires: '5.9', requires_php: '7.2' },
    package: `https://downloads.wordpress.org/theme/${theme}.${version}.zip`,
  })
  return { ...sortedByNews(themes, installedIn(form, 'themes'), describe, 'themes'), translations: [] }
}

/** WordPress posts `{"plugins": {file: headers}}` or `{"themes": {folder: headers}}` in a form field of that name. */
function installedIn(form: URLSearchParams, kind: 'plugins' | 'themes'): Record<string, Installed> {
  const posted = JSON.parse(form.get(kind) ?? '{}') as Record<string, Record<string, Installed>>
  return posted[kind] ?? {}
}

function sortedByNews(
  offered: Record<string, string>,
  installed: Record<string, Installed>,
  describe: (name: string, version: string) => object,
  kind: 'plugins' | 'themes',
): object {
  const news: Record<string, object> = {}
  const same: Record<string, object> = {}
  for (const [name, headers] of Object.entries(installed)) {
    const version = offered[name]
    if (version === undefined || (headers.UpdateURI && !/wordpress\.org|w\.org/.test(headers.UpdateURI))) continue
    if (compareVersions(version, headers.Version ?? '0') > 0) news[name] = describe(name, version)
    else same[name] = describe(name, version)
  }
  return { [kind]: news, no_update: same }
}

/** WordPress posts what it has as `{slug: {language: {"PO-Revision-Date": …}}}`. */
function translations(form: URLSearchParams): object[] {
  const { slug, language, version, updated } = TRANSLATION
  const installed = JSON.parse(form.get('translations') ?? '{}') as Record<string, Record<string, Record<string, string>>>
  if ((installed[slug]?.[language]?.['PO-Revision-Date'] ?? '') >= updated) return []
  const file = `https://downloads.wordpress.org/translation/plugin/${slug}/${version}/${language}.zip`
  return [{ type: 'plugin', slug, language, version, updated, package: file, autoupdate: true }]
}

export function coreOffers({ core: offered }: Offer, query: URLSearchParams): object {
  const current = query.get('version') ?? '0'
  const version = offered !== undefined && compareVersions(offered, current) > 0 ? offered : current
  const download = `https://downloads.wordpress.org/release/wordpress-${version}.zip`
  const packages = { full: download, no_content: false, new_bundled: false, partial: false, rollback: false }
  const common = { download, packages, current: version, version, locale: 'en_US', php_version: '7.2.24', mysql_version: '5.5.5' }
  const kinds = version === current ? ['latest'] : ['upgrade', 'autoupdate']
  return { offers: kinds.map((response) => ({ response, ...common, new_bundled: '6.7', partial_version: false })), translations: [] }
}

/** Positive when `left` is newer; numbers between dots, missing ones count as 0. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0)) as [number[], number[]]
  const position = [0, 1, 2, 3].find((index) => (a[index] ?? 0) !== (b[index] ?? 0))
  return position === undefined ? 0 : (a[position] ?? 0) - (b[position] ?? 0)
}
