import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { filesOf, type Way, writeScripts } from './dashboard-scripts.ts'

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
  return [
    ...own.toSorted(),
    ...languages,
    'dashboard/icon.svg',
    'dashboard/package.json',
    'tools/dashboard.ts',
    'tools/dashboard-scripts.ts',
  ]
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
    return [path.basename(file, '.json'), writeNamed(dist, file, text)]
  })
  return Object.fromEntries(written)
}

/** What it must be built from: its sources, and where the operations are. */
export function sourceDigest(): string {
  const digest = createHash('sha256').update(JSON.stringify(routes()))
  for (const file of sources()) digest.update(`${file}\n`).update(fs.readFileSync(path.join(ROOT, file)))
  return digest.digest('hex')
}

/** What the built dashboard says that it was built from; undefined: there is none. */
export function builtDigest(): string | undefined {
  const file = path.join(DIST, 'built-from')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : undefined
}

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

/** One text of all styles, without comments. */
function stylesOf(file: string): string {
  const text = fs.readFileSync(file, 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
  return text.replaceAll(/@import "([^"]+)";/g, (_all, named: string) =>
    stylesOf(named.startsWith('.') ? path.join(path.dirname(file), named) : path.join(ROOT, 'node_modules', named)),
  )
}

/** Without spaces that say nothing. */
const packed = (styles: string) =>
  styles
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
    .replaceAll(';}', '}')

/** Puts a text beside the scripts, named by its content. */
function writeNamed(dist: string, name: string, text: string): string {
  const { name: plain, ext } = path.parse(name)
  const file = `${plain}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}${ext}`
  fs.writeFileSync(path.join(dist, 'assets', file), text)
  return `/assets/${file}`
}

/** `[[words]]` in every language there is: the style of the page shows the one it is in. */
function inLanguages(shell: string, languages: string): string {
  const catalogues = languageFiles(languages).map((file): [string, Record<string, string>] => [
    path.basename(file, '.json'),
    JSON.parse(fs.readFileSync(path.join(languages, file), 'utf8')),
  ])
  return shell.replaceAll(/\[\[(.+?)\]\]/g, (_all, words: string) =>
    [['en', words], ...catalogues.map(([code, messages]) => [code, messages[words] ?? words])]
      .map(([code, said]) => `<span lang="${code}">${escaped(String(said))}</span>`)
      .join(''),
  )
}
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** What is painted before any script ran. The scripts come after it: `fetchpriority`. */
const shells = { index: ['app', 'frame'], 'sign-in': ['app', 'sign-in'] } as const

/** Makes dashboard/dist anew. The one that is there stays until the new one is whole. */
export async function buildDashboard(): Promise<void> {
  fs.mkdirSync(path.join(ROOT, 'tmp'), { recursive: true })
  const made = fs.mkdtempSync(path.join(ROOT, 'tmp/dashboard-'))
  try {
    await writeDashboard(made)
    fs.chmodSync(made, 0o755)
    fs.rmSync(DIST, { recursive: true, force: true })
    fs.renameSync(made, DIST)
  } finally {
    fs.rmSync(made, { recursive: true, force: true })
  }
}

/** Writes it into an empty folder: scripts, styles and languages named by their content, and the pages that load them. */
export async function writeDashboard(dist: string, languages = LANGUAGES): Promise<void> {
  const into = path.join(dist, 'assets')
  const scripts = await writeScripts({ root: ROOT, folder: FOLDER, into, routes: routes() })
  const nameOf = (wanted: string) => scripts.find(({ name }) => name === wanted)?.fileName
  const addressesOf = (...ways: Way[]) => [...new Set(ways.flatMap((way) => filesOf(way, scripts)))].map((file) => `/assets/${file}`)
  const ofPage = (way: Way) => addressesOf(way).filter((file) => !addressesOf(...shells.index).includes(file))
  const read = (file: string) => fs.readFileSync(path.join(FOLDER, 'src', file), 'utf8')
  const shown = ['en', ...languageFiles(languages).map((file) => path.basename(file, '.json'))]
    .map((code) => `html[lang=${code}] .shell span[lang=${code}]`)
    .join(',')
  const { variables } = await import('../dashboard/src/variables.ts')
  const styles = `${stylesOf(path.join(FOLDER, 'src/styles.css'))}${variables()}`
  const page = read('index.html')
    .replace('{languages}', JSON.stringify(writeLanguages(languages, dist)))
    .replace(
      '{pages}',
      JSON.stringify({
        app: ['libraries', 'app'].map((name) => `/assets/${nameOf(name)}`),
        sites: ofPage('fleet'),
        site: ofPage('site'),
      }),
    )
    .replace('{early}', `/assets/${nameOf('early')}`)
    .replace('{style}', writeNamed(dist, 'app.css', packed(`${styles}${shown}{display:inline}`)))
  for (const [name, first] of Object.entries(shells)) {
    const preloads = addressesOf(...first).map((each) => `<link rel="modulepreload" fetchpriority="low" href="${each}">`)
    const shell = inLanguages(read(`shells/${name}.html`), languages)
    fs.writeFileSync(
      path.join(dist, `${name}.html`),
      page
        .replace('{frame}', name)
        .replace('{preloads}', preloads.join('\n'))
        .replace('{shell}', () => shell),
    )
  }
  fs.copyFileSync(path.join(FOLDER, 'icon.svg'), path.join(into, 'icon.svg'))
  fs.writeFileSync(path.join(dist, 'built-from'), `${sourceDigest()}\n`)
}
