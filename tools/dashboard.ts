import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'esbuild'

const ROOT = path.join(import.meta.dirname, '..')
const FOLDER = path.join(ROOT, 'dashboard')
const DIST = path.join(FOLDER, 'dist')
const LANGUAGES = path.join(FOLDER, 'catalogue')

/** Every source the dashboard is built from, by path below the repository. */
function sources(): string[] {
  const below = fs.readdirSync(path.join(FOLDER, 'src'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const own = below
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .filter((file) => !/\.test\.tsx?$/.test(file))
  const languages = languageFiles(LANGUAGES).map((file) => `dashboard/catalogue/${file}`)
  return [...own.toSorted(), ...languages, 'dashboard/icon.svg', 'dashboard/package.json', 'tools/dashboard.ts']
}

/** Each language's file but the list of messages, which is what they translate. */
const languageFiles = (folder: string) =>
  fs
    .readdirSync(folder)
    .filter((file) => /^[a-z]{2,3}\.json$/.test(file))
    .toSorted()

/** Puts the languages beside the scripts, each named by its content; language → address. */
function writeLanguages(from: string, dist: string): Record<string, string> {
  const written = languageFiles(from).map((file): [string, string] => {
    const text = JSON.stringify(JSON.parse(fs.readFileSync(path.join(from, file), 'utf8')))
    const code = path.basename(file, '.json')
    const name = `${code}-${createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()}.json`
    fs.writeFileSync(path.join(dist, 'assets', name), text)
    return [code, `/assets/${name}`]
  })
  return Object.fromEntries(written)
}

/** What it must be built from: its sources, and where the operations are. */
export function sourceDigest(): string {
  const digest = createHash('sha256').update(JSON.stringify(routes()))
  for (const file of sources()) digest.update(`${file}\n`).update(fs.readFileSync(path.join(ROOT, file)))
  return digest.digest('hex')
}

/** What the committed dashboard says that it was built from. */
export const builtDigest = () => fs.readFileSync(path.join(DIST, 'built-from'), 'utf8').trim()

interface Entry {
  name: string
  http: string[]
  action?: string
  list?: string
}

/** Of the contract what calling needs: name → paths, the action, whether the answer is a list. */
function routes(): Record<string, [string[], string?]> {
  const { operations } = JSON.parse(fs.readFileSync(path.join(ROOT, 'contract/operations.json'), 'utf8')) as { operations: Entry[] }
  return Object.fromEntries(operations.map(({ name, http, action }) => [name, action === undefined ? [http] : [http, action]]))
}

/** Takes each component of Mantine from its own file: by way of the index that has them all, the first page would load what any other page uses. */
function eachByItself(): Plugin {
  const index = path.join(ROOT, 'node_modules/@mantine/core/esm/index.mjs')
  const lines = fs.readFileSync(index, 'utf8').matchAll(/^import \{([^}]+)\} from "(\.[^"]+)"/gm)
  const files = new Map(
    [...lines].flatMap(([, names = '', file = '']) => names.split(',').map((name): [string, string] => [name.trim(), file])),
  )
  const apart = (_all: string, names: string) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => `import { ${name} } from '${files.has(name) ? `mantine:${files.get(name)}` : '@mantine/core'}'`)
      .join(';')
  return {
    name: 'each-by-itself',
    setup(build) {
      build.onResolve({ filter: /^mantine:/ }, ({ path: named }) => ({
        path: path.join(path.dirname(index), named.slice(8)),
        sideEffects: false,
      }))
      build.onLoad({ filter: /[\\/]dashboard[\\/]src[\\/].*\.tsx?$/ }, ({ path: file }) => ({
        contents: fs.readFileSync(file, 'utf8').replaceAll(/import \{([^}]+)\} from '@mantine\/core'/g, apart),
        loader: file.endsWith('x') ? 'tsx' : 'ts',
      }))
    },
  }
}

/** Writes dashboard/dist anew: scripts, styles and languages named by their content, and the page that loads them. */
export async function buildDashboard(dist = DIST, languages = LANGUAGES): Promise<void> {
  const esbuild = await import('esbuild')
  fs.rmSync(dist, { recursive: true, force: true })
  const { metafile } = await esbuild.build({
    absWorkingDir: FOLDER,
    entryPoints: { app: 'src/main.tsx', early: 'src/early.ts' },
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    outdir: path.join(dist, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: 'automatic',
    legalComments: 'none',
    metafile: true,
    plugins: [
      eachByItself(),
      {
        name: 'contract',
        setup(build) {
          build.onResolve({ filter: /^contract:routes$/ }, ({ path }) => ({ path, namespace: 'contract' }))
          build.onLoad({ filter: /.*/, namespace: 'contract' }, () => ({ contents: JSON.stringify(routes()), loader: 'json' }))
        },
      },
    ],
  })
  const outputs = Object.keys(metafile.outputs).map((file) => path.basename(file))
  const named = (pattern: RegExp) => outputs.find((file) => pattern.test(file)) ?? ''
  const page = fs.readFileSync(path.join(FOLDER, 'src/index.html'), 'utf8')
  const needed = Object.entries(metafile.outputs).find(([file]) => /\/app-[^/]*\.js$/.test(file))?.[1].imports ?? []
  const preloads = needed
    .filter(({ kind }) => kind === 'import-statement')
    .map((each) => `<link rel="modulepreload" href="/assets/${path.basename(each.path)}">`)
  const filled = page
    .replace('{languages}', JSON.stringify(writeLanguages(languages, dist)))
    .replace('{preloads}', preloads.join('\n'))
    .replace('{app}', named(/^app-.*\.js$/))
    .replace('{early}', named(/^early-.*\.js$/))
    .replace('{style}', named(/^app-.*\.css$/))
  fs.writeFileSync(path.join(dist, 'index.html'), filled)
  fs.copyFileSync(path.join(FOLDER, 'icon.svg'), path.join(dist, 'assets/icon.svg'))
  fs.writeFileSync(path.join(dist, 'built-from'), `${sourceDigest()}\n`)
}
