// The dashboard's scripts: few files, because on a slow network each of them is a way there and back.
import fs from 'node:fs'
import path from 'node:path'
import type { OutputChunk, Plugin } from 'rolldown'

/** What people come in by. What each needs is one file; what several of them need is in the file of the ones they have in common. */
const ways = {
  app: 'src/main.tsx',
  'sign-in': 'src/sign-in/SignInPage.tsx',
  frame: 'src/frame/Frame.tsx',
  fleet: 'src/fleet/FleetPage.tsx',
  site: 'src/site/SitePage.tsx',
  choices: 'src/ui/SiteSelect.tsx',
} as const
export type Way = keyof typeof ways
/** Of the first file what is not ours: a file of its own, so that it is read in a turn of its own. */
const libraries = /node_modules\/(?:react|react-dom|scheduler|@tanstack)\//

/** Loaded at once by whoever is signed in. */
const inside: readonly Way[] = ['frame', 'fleet', 'site']

interface Graph {
  getModuleInfo(id: string): { importedIds: string[] } | null
}

/** The file a module goes to; null: to that of whatever page alone needs it. */
function placing(folder: string) {
  const reached = new Map<Way, Set<string>>()
  const reach = (way: Way, graph: Graph) => {
    const known = reached.get(way) ?? new Set<string>()
    if (reached.has(way)) return known
    reached.set(way, known)
    const follow = [path.join(folder, ways[way])]
    for (let id = follow.pop(); id !== undefined; id = follow.pop()) {
      if (known.has(id)) continue
      known.add(id)
      follow.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
    }
    return known
  }
  return (id: string, graph: Graph): Way | 'libraries' | null => {
    const by = (Object.keys(ways) as Way[]).filter((way) => reach(way, graph).has(id))
    if (by.includes('app') && libraries.test(id)) return 'libraries'
    if (by.includes('app') || id.includes('rolldown/runtime') || (by.includes('sign-in') && by.some((way) => inside.includes(way))))
      return 'app'
    return by.length > 1 ? 'frame' : (by[0] ?? null)
  }
}

/** Takes each component of Mantine from its own file: by way of the index that has them all, the first page would load what any other page uses. */
function eachByItself(root: string): Plugin {
  const index = path.join(root, 'node_modules/@mantine/core/esm/index.mjs')
  const lines = fs.readFileSync(index, 'utf8').matchAll(/^import \{([^}]+)\} from "(\.[^"]+)"/gm)
  const files = new Map(
    [...lines].flatMap(([, names = '', file = '']) => names.split(',').map((name): [string, string] => [name.trim(), file])),
  )
  const apart = (_all: string, names: string) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => `import { ${name} } from '${files.has(name) ? `mantine:${files.get(name)}` : '@mantine/core'}'`)
      .join(';')
  return {
    name: 'each-by-itself',
    resolveId: (named) =>
      named.startsWith('mantine:') ? { id: path.join(path.dirname(index), named.slice(8)), moduleSideEffects: false } : null,
    transform: (code, file) =>
      /[\\/]dashboard[\\/]src[\\/].*\.tsx?$/.test(file) ? code.replaceAll(/import \{([^}]+)\} from '@mantine\/core'/g, apart) : null,
  }
}

/** Mantine gives each field another id once it is drawn, and draws it again for that; React's own is as good. */
const oneId: Plugin = {
  name: 'one-id',
  load: (id) =>
    /@mantine[\\/]hooks[\\/]esm[\\/]use-id[\\/]use-id\.mjs$/.test(id)
      ? `import { useId as useOwn } from 'react'
         export function useId(given) { const own = useOwn(); return given ?? own }`
      : null,
}

const contract = (routes: object): Plugin => ({
  name: 'contract',
  resolveId: (named) => (named === 'contract:routes' ? '\0routes' : null),
  load: (id) => (id === '\0routes' ? { code: JSON.stringify(routes), moduleType: 'json' } : null),
})

interface Wanted {
  root: string
  /** The dashboard's own. */
  folder: string
  /** Where the files go. */
  into: string
  routes: object
}

/** The files that one of the ways needs: its own, the one that hands out what it exports, and what these need. */
export function filesOf(way: Way, scripts: OutputChunk[]): string[] {
  const files = new Set<string>()
  const follow = (script: OutputChunk | undefined) => {
    if (!script || files.has(script.fileName)) return
    files.add(script.fileName)
    for (const file of script.imports) follow(scripts.find(({ fileName }) => fileName === file))
  }
  for (const script of scripts) if (script.name === way || script.facadeModuleId?.endsWith(`/${ways[way]}`)) follow(script)
  return [...files]
}

/** Writes the scripts, each named by its content, and answers them. */
export async function writeScripts({ root, folder, into, routes }: Wanted): Promise<OutputChunk[]> {
  const { rolldown } = await import('rolldown')
  const wayOf = placing(folder)
  const common = {
    cwd: folder,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' }, jsx: 'react-jsx', target: 'es2022' },
    checks: { moduleLevelDirective: false },
  } as const
  const written = {
    dir: into,
    minify: true,
    comments: { legal: false },
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    hashCharacters: 'hex',
  } as const
  const groups = [
    { name: (id: string, graph: Graph) => wayOf(id, graph), debugName: 'ways', priority: 2 },
    { name: 'shared', minShareCount: 2, priority: 1 },
  ]
  const app = await rolldown({
    ...common,
    input: { app: ways.app },
    preserveEntrySignatures: false,
    plugins: [eachByItself(root), oneId, contract(routes)],
  })
  const pages = await app.write({ ...written, format: 'esm', codeSplitting: { includeDependenciesRecursively: false, groups } })
  const early = await rolldown({ ...common, input: { early: 'src/early.ts' } })
  const first = await early.write({ ...written, format: 'iife' })
  const scripts = [...pages.output, ...first.output].filter((each) => each.type === 'chunk')
  // The entry does nothing but load the file that it was put into.
  const gate = scripts.find((each) => each.isEntry && Object.keys(each.modules).length === 0)
  if (gate) fs.rmSync(path.join(into, gate.fileName))
  return scripts.filter((each) => each !== gate)
}
