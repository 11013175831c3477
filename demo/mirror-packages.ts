// Packages for the mirror, made when they are asked for, and the same plugins and themes as folders.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  BROKEN_PLUGIN,
  brokenPackage,
  KINDS,
  type Package,
  pluginFiles,
  SAMPLE_PLUGIN,
  type SampleKind,
  samplePackage,
} from './sample-plugin.ts'
import { inFolder, zip } from './zip.ts'

export const SAMPLE_THEME = 'harbour'
/** What is wrong with the newest version of the sample theme. */
const BROKEN_THEME_VERSION = '1.2.0'
const THEME_VERSIONS = ['1.0.0', '1.1.0', BROKEN_THEME_VERSION] as const
export const TRANSLATION = { slug: 'harbour-notices', language: 'de_DE', version: '1.0.0', updated: '2026-06-01 12:00:00' }

/** File name → maker of every sample package. */
export function samplePackages(): Record<string, () => Package> {
  const plugins = (Object.keys(KINDS) as SampleKind[]).map((kind) => [
    `${dirname(SAMPLE_PLUGIN)}.${KINDS[kind].version}.zip`,
    () => samplePackage(kind),
  ])
  const themes = THEME_VERSIONS.map((version) => [
    `${SAMPLE_THEME}.${version}.zip`,
    () => ({ bytes: zip(inFolder(SAMPLE_THEME, themeFiles(version))) }),
  ])
  return {
    ...Object.fromEntries([...plugins, ...themes]),
    [`${dirname(BROKEN_PLUGIN)}.1.1.0.zip`]: brokenPackage,
    [`${TRANSLATION.language}.zip`]: () => ({ bytes: zip(translationFiles()) }),
  }
}

/** Writes the sample plugin's folder below `parent` and returns it, for `startSite({plugins})`. */
export const writeSamplePlugin = (parent: string, kind: SampleKind = 'good_old'): Promise<string> =>
  writeFolder(join(parent, dirname(SAMPLE_PLUGIN)), pluginFiles(SAMPLE_PLUGIN, KINDS[kind].version, KINDS[kind]))

/** The same for the plugin whose update is broken; what is written is its sound first version. */
export const writeBrokenPlugin = (parent: string): Promise<string> =>
  writeFolder(join(parent, dirname(BROKEN_PLUGIN)), pluginFiles(BROKEN_PLUGIN, '1.0.0', {}))

/** Writes the sample theme's folder below `parent` (a site's themes folder, say) and returns it. */
export const writeSampleTheme = (parent: string, version: '1.0.0' | '1.1.0' = '1.0.0'): Promise<string> =>
  writeFolder(join(parent, SAMPLE_THEME), themeFiles(version))

/** A full core package of the WordPress in `source`, calling itself `version`, with one file spoilt; about 30 MB, some seconds. */
export async function corePackage(source: string, version: string, spoil?: { file: string; code: string }): Promise<Buffer> {
  const files: Record<string, Uint8Array | string> = {}
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    // A real package has none.
    if (entry.isFile() && entry.name !== 'wp-config.php') files[`wordpress/${path.slice(source.length + 1)}`] = await readFile(path)
  }
  const versionFile = 'wordpress/wp-includes/version.php'
  files[versionFile] = String(files[versionFile]).replace(/\$wp_version = '[^']*'/, `$wp_version = '${version}'`)
  if (spoil) files[`wordpress/${spoil.file}`] = `<?php\n${spoil.code}\n`
  return zip(files)
}

function themeFiles(version: string): Record<string, string> {
  const broken = version === BROKEN_THEME_VERSION ? 'a_function_that_is_not_there();\n' : ''
  return {
    'style.css': `/*\nTheme Name: Harbour\nVersion: ${version}\nRequires at least: 5.9\nRequires PHP: 7.2\nLicense: GPL-2.0-or-later\n*/\n`,
    'index.php': '<?php get_header(); while ( have_posts() ) { the_post(); the_title(); the_content(); } get_footer();\n',
    'functions.php': `<?php\ndefine( 'HARBOUR_THEME', '${version}' );\n${broken}`,
  }
}

function translationFiles(): Record<string, string | Buffer> {
  const { slug, language, updated } = TRANSLATION
  const head = `msgid ""\nmsgstr ""\n"Project-Id-Version: Harbour Notices\\n"\n"PO-Revision-Date: ${updated}+0000\\n"\n"Language: de\\n"\n`
  // Magic number, revision, no strings, where their two tables would be, no hash table.
  const empty = Buffer.alloc(28)
  for (const [index, word] of [0x950412de, 0, 0, 28, 28, 0, 28].entries()) empty.writeUInt32LE(word, 4 * index)
  return { [`${slug}-${language}.po`]: head, [`${slug}-${language}.mo`]: empty }
}

async function writeFolder(folder: string, files: Record<string, string>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}
