// Packages for the mirror: a small plugin and a small theme of our own, in good versions and in every broken kind we must survive.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { zip } from './zip.ts'

export const SAMPLE_PLUGIN = 'harbour-notices/harbour-notices.php'
export const SAMPLE_THEME = 'harbour'

/** What is wrong with each version of the sample plugin; 1.0.0 and 1.1.0 are good. */
export const SAMPLE_PLUGIN_VERSIONS = {
  good_old: '1.0.0',
  good_new: '1.1.0',
  fatal_at_load: '1.2.0',
  fatal_on_front_page: '1.2.1',
  parse_error: '1.3.0',
  not_a_zip: '1.4.0',
  truncated_zip: '1.5.0',
  error_500_page: '1.6.0',
  blank_200_page: '1.7.0',
} as const

export type SamplePluginKind = keyof typeof SAMPLE_PLUGIN_VERSIONS

const BREAKAGE: Partial<Record<SamplePluginKind, string>> = {
  fatal_at_load: 'harbour_notices_function_that_is_not_there();',
  fatal_on_front_page: "add_action( 'template_redirect', function () { harbour_notices_function_that_is_not_there(); } );",
  parse_error: 'this is not PHP',
  error_500_page: "add_action( 'template_redirect', function () { wp_die( 'Out of order', 'Error', array( 'response' => 500 ) ); } );",
  blank_200_page: "add_action( 'template_redirect', function () { status_header( 200 ); exit; } );",
}

/** File name → bytes of every sample package, as the download server offers them. */
export function samplePackages(): Record<string, Buffer> {
  const kinds = Object.entries(SAMPLE_PLUGIN_VERSIONS) as [SamplePluginKind, string][]
  const plugins = kinds.map(([kind, version]) => [`harbour-notices.${version}.zip`, pluginPackage(kind, version)])
  const themes = ['1.0.0', '1.1.0'].map((version) => [`${SAMPLE_THEME}.${version}.zip`, zip(inFolder(SAMPLE_THEME, themeFiles(version)))])
  return Object.fromEntries([...plugins, ...themes])
}

/** Writes the sample plugin's folder below `parent` and returns it, for `startSite({plugins})`. */
export async function writeSamplePlugin(parent: string, kind: SamplePluginKind = 'good_old'): Promise<string> {
  const folder = join(parent, dirname(SAMPLE_PLUGIN))
  await writeFiles(folder, pluginFiles(kind, SAMPLE_PLUGIN_VERSIONS[kind]))
  return folder
}

/** Writes the sample theme's folder below `parent` (a site's themes folder, say) and returns it. */
export async function writeSampleTheme(parent: string, version: '1.0.0' | '1.1.0' = '1.0.0'): Promise<string> {
  const folder = join(parent, SAMPLE_THEME)
  await writeFiles(folder, themeFiles(version))
  return folder
}

/** A full core package of the WordPress in `source`, calling itself `version`, with one file spoilt; about 30 MB, some seconds. */
export async function corePackage(source: string, version: string, spoil?: { file: string; code: string }): Promise<Buffer> {
  const files: Record<string, Uint8Array | string> = {}
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) files[`wordpress/${path.slice(source.length + 1)}`] = await readFile(path)
  }
  const versionFile = 'wordpress/wp-includes/version.php'
  files[versionFile] = String(files[versionFile]).replace(/\$wp_version = '[^']*'/, `$wp_version = '${version}'`)
  if (spoil) files[`wordpress/${spoil.file}`] = `<?php\n${spoil.code}\n`
  return zip(files)
}

function pluginPackage(kind: SamplePluginKind, version: string): Buffer {
  const good = zip(inFolder(dirname(SAMPLE_PLUGIN), pluginFiles(kind, version)))
  if (kind === 'not_a_zip') return Buffer.from('<html><body>Please sign in to download.</body></html>')
  return kind === 'truncated_zip' ? good.subarray(0, Math.floor(good.length / 2)) : good
}

function pluginFiles(kind: SamplePluginKind, version: string): Record<string, string> {
  const main = `<?php
/**
 * Plugin Name: Harbour Notices
 * Plugin URI: https://wordpress.org/plugins/harbour-notices/
 * Description: Shows the opening hours at the foot of every page.
 * Version: ${version}
 * Author: The Harbour
 * Requires at least: 5.6
 * Requires PHP: 7.2
 * License: GPL-2.0-or-later
 */
define( 'HARBOUR_NOTICES', '${version}' );
add_action( 'wp_footer', function () { require __DIR__ . '/inc/notice.php'; } );
${BREAKAGE[kind] ?? ''}
`
  return {
    'harbour-notices.php': main,
    'inc/notice.php': `<?php\nprintf( '<p style="text-align:center">Open daily 6:00–22:00 · Harbour Notices %s</p>', esc_html( HARBOUR_NOTICES ) );\n`,
    'readme.txt': `=== Harbour Notices ===\nStable tag: ${version}\nLicense: GPL-2.0-or-later\n\nShows the opening hours at the foot of every page.\n`,
  }
}

function themeFiles(version: string): Record<string, string> {
  return {
    'style.css': `/*\nTheme Name: Harbour\nVersion: ${version}\nRequires at least: 5.9\nRequires PHP: 7.2\nLicense: GPL-2.0-or-later\n*/\n`,
    'index.php': '<?php get_header(); while ( have_posts() ) { the_post(); the_title(); the_content(); } get_footer();\n',
    'functions.php': `<?php\ndefine( 'HARBOUR_THEME', '${version}' );\n`,
  }
}

function inFolder(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]))
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}
