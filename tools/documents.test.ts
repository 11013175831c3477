import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../server/src/admin/commands.ts'
import { operations } from '../server/src/capabilities.ts'
import { remedies } from '../server/src/connector/remedies.ts'
import { kinds } from '../server/src/notifications/schema.ts'
import { docs } from '../server/src/projections/docs.ts'
import { manifest } from '../server/src/projections/manifest.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('{docs,cli,mcp,demo,connector}/*.md', { cwd: ROOT })]

for (const page of PAGES)
  test(`every link of ${page} leads to a file`, () => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)[^)]*\)/g)].map(([, to = '']) => to)
    assert.deepEqual(
      links.filter((to) => !existsSync(join(ROOT, dirname(page), to))),
      [],
    )
  })

test('every test that SECURITY.md names is there', () => {
  const files = globSync('{server,cli,mcp,e2e,connector,tools}/**/*.{test.ts,php}', {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules',
  })
  const missing: string[] = []
  for (const row of read('SECURITY.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))) {
    let source = ''
    for (const [, file, title] of row.matchAll(/`([\w./-]+\.test\.ts|connector\/test\/\w+\.php)`|"([^"]+)"/g)) {
      if (file) {
        const found = files.filter((each) => `/${each}`.endsWith(`/${file}`))
        if (found.length !== 1) missing.push(`${file}: ${found.length} files`)
        source = found.map(read).join('\n')
      } else if (!(title ?? '').split('…').every((part) => source.includes(part.trim()))) missing.push(title ?? '')
    }
  }
  assert.deepEqual(missing, [])
})

test('docs/connector.md tells of every reason what to do, as the service does, and the dashboard in each of its languages', () => {
  const [, table = ''] = read('docs/connector.md').split('| reason | what it means | what to do |')
  const rows = (table.split('\n\n')[0] ?? '').split('\n').flatMap((line) => {
    const [, reasons, , next = ''] = line.split(' | ').length === 3 ? ['', ...line.split(' | ')] : []
    const plain = next.replaceAll(/`|\[|\]\([^)]*\)| \|$/g, '')
    return [...(reasons ?? '').matchAll(/`([^`]+)`/g)].map(([, reason = '']) => [reason, plain] as const)
  })
  assert.equal(rows.length, Object.keys(remedies).length, 'each reason once')
  assert.deepEqual(Object.fromEntries(rows), remedies)
  for (const file of globSync('dashboard/catalogue/[a-z][a-z].json', { cwd: ROOT })) {
    const words = JSON.parse(read(file)) as Record<string, string>
    for (const sentence of Object.values(remedies)) assert.ok(words[sentence], `${file}: ${sentence}`)
  }
})

test('docs/reports.md tells every command of clients and reports', () => {
  const page = read('docs/reports.md')
  const commands = operations
    .filter(({ name, scope }) => /^(clients|reports)\./.test(name) && scope !== 'manage')
    .map(({ name }) => `svc ${name.replace('.', ' ').replaceAll('_', '-')}`)
  assert.ok(commands.length > 20)
  assert.deepEqual(
    commands.filter((command) => !new RegExp(`\\b${command}\\b`).test(page)),
    [],
  )
})

test('no line tells to fetch a package of ours from a registry, where nobody holds its name', () => {
  const scope = `@${'service'}/`
  const ask = /\b(npx|npm (i|install|exec|x|create)|pnpm|yarn|bunx|deno)\b.*?\s["']?(service-mcp|service-cli|svc)\b(?!-\S*\.tgz)/
  const folders = '{bench,cli,connector,contract,demo,docs,e2e,mcp,server,tools}/**/*.{ts,js,mjs,json,md,svg,php,txt,html,sql,yml}'
  const skipped = (name: string) => ['node_modules', 'data', 'package.json', 'package-lock.json'].includes(name)
  const texts = globSync(['*.{md,mjs,yml}', 'Dockerfile', folders], { cwd: ROOT, exclude: (name) => skipped(basename(name)) })
  const printed = Object.values(docs(manifest(operations), 'https://fleet.example').pages)
    .map((make) => make())
    .join('\n')
  const lines = [...texts.map((file) => [file, read(file)] as const), ['/docs', printed] as const].flatMap(([from, text]) =>
    text.split('\n').map((line) => `${from}: ${line}`),
  )
  assert.ok(lines.length > 50_000, 'it read everything')
  assert.deepEqual(
    lines.filter((line) => line.includes(scope) || ask.test(line)).map((line) => line.slice(0, 200)),
    [],
  )
})

test('ARCHITECTURE.md names every dependency with its version', () => {
  const page = read('ARCHITECTURE.md')
  for (const file of globSync(
    ['package.json', '{server,cli,mcp,dashboard}/package.json', 'demo/runtime/*/package.json', 'e2e/judges/package.json'],
    {
      cwd: ROOT,
    },
  )) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file)) as Record<string, Record<string, string>>
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      const [plain = '', number = version] = version.startsWith('npm:') ? version.slice(4).split(/(?!^)@/) : [name, version]
      const rows = page.split('\n').filter((row) => row.includes(`\`${plain.replace(/-arm64$/, '')}`) || row.includes(plain))
      assert.ok(rows.some((row) => row.includes(number)) || name.endsWith('-arm64'), `${name} ${version} of ${file}`)
    }
  }
})

test('docs/operating.md has every setting of config.ts and of the budgets, and no other', () => {
  const settings = (text: string) => [...new Set(text.match(/\b(?:SERVICE_[A-Z_]+|DATABASE_URL)\b/g))].sort()
  const table = read('docs/operating.md')
    .split('\n')
    .filter((line) => /^\| `(SERVICE_|DATABASE_URL)/.test(line))
  assert.deepEqual(
    settings(table.map((line) => line.split('|')[1] ?? '').join()),
    settings(read('server/src/config.ts') + read('server/src/kernel/budget.ts')),
  )
})

test('docs/operating.md has every command of admin with each of its options, and no other', () => {
  const table = read('docs/operating.md').split("\n## Operator's commands\n")[1]?.split('\n## ')[0] ?? ''
  const told = new Map<string, string>()
  for (const row of table.split('\n'))
    for (const [, usage = ''] of (row.split(/(?<!\\)\|/)[1] ?? '').matchAll(/`([^`]+)`/g)) {
      const name = usage.split(' ').slice(0, 2).join(' ')
      told.set(name, `${told.get(name) ?? ''} ${usage}`)
    }
  assert.deepEqual([...told.keys()].sort(), commands.map(({ name }) => name).sort())
  for (const { name, usage } of commands)
    for (const option of usage.match(/--[a-z-]+/g) ?? []) assert.ok(told.get(name)?.includes(option), `${name} ${option}`)
})

test('docs/notifications.md has every kind of message, and no other', () => {
  const table = read('docs/notifications.md').split('\n| kind |')[1]?.split('\n\n')[0]
  const told = (table ?? '').split('\n').flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, kind]) => kind))
  assert.deepEqual(told.toSorted(), Object.keys(kinds).sort())
})
