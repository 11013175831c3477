// The SQL that stands in the service's files, as texts: for tests of whose rows it reads, and whose tables.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const server = join(import.meta.dirname, '..')
const src = join(server, 'src')

export const sourceFiles = globSync('**/*.ts', { cwd: src }).filter((file) => !file.endsWith('.test.ts'))
export const readSource = (file: string) => readFileSync(join(src, file), 'utf8')

const created = globSync('*.sql', { cwd: join(server, 'migrations') }).flatMap((file) => [
  ...readFileSync(join(server, 'migrations', file), 'utf8').matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(([\s\S]*?)\n\)/g),
])
export const tables = created.map(([, name = '']) => name)
/** What belongs to a workspace says so in a column. */
export const tenantTables = created.flatMap(([, name = '', columns = '']) => (/^\s*workspace_id\b/m.test(columns) ? [name] : []))

export interface Statement {
  file: string
  /** File and function. */
  where: string
  text: string
  /** A part of the file that says whose rows they are, and is put into the statement. */
  carried: boolean
}

/** From its backtick to the one that ends it, with what is put in between. */
function templateAt(text: string, from: number): string {
  let depth = 0
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text.startsWith('${', at) || (depth > 0 && text[at] === '{')) {
      depth++
      if (text[at] === '$') at++
    } else if (text[at] === '}' && depth > 0) depth--
    else if (text[at] === '`' && depth === 0) return text.slice(from, at + 1)
    else if (text[at] === '`') at += templateAt(text, at).length - 1
  }
  throw new Error(`A template has no end: ${text.slice(from, from + 200)}`)
}

/** Parts of statements that a file keeps as constants, each where it stands. */
function partsKept(text: string): { name: string; at: number; whole: string; words: string }[] {
  return [...text.matchAll(/^(?:export )?const (\w+) =\s+sql(?:\.raw\()?(?=['`])/gm)].map(({ 1: name = '', 0: before, index }) => {
    const from = index + before.length
    const literal = text[from] === '`' ? templateAt(text, from) : (/^'(?:[^'\\]|\\.)*'/.exec(text.slice(from))?.[0] ?? "''")
    return { name, at: index, whole: text.slice(index, from + literal.length), words: literal.slice(1, -1) }
  })
}

/** With the parts that a file keeps as constants where they are used, and not where they are kept. */
function spelledOut(text: string): string {
  const kept = partsKept(text)
  const without = kept.reduce((rest, { name, whole }) => rest.replace(whole, () => `const ${name} = 0`), text)
  // One part may be put into another.
  const put = (rest: string) => kept.reduce((all, { name, words }) => all.replaceAll(`\${${name}}`, () => words), rest)
  return put(put(put(without)))
}

/** Without what is selected within: whose rows that reads says nothing of the rows outside. */
const withoutInner = (text: string) => text.replaceAll(/\(SELECT\b(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, '()')

const beginsWithTable = new RegExp(`^\`\\s*(?=(?:${tables.join('|')})\\b)`)

/** One that is put into another is told with it; one that begins with a table, by itself as well. */
function templatesIn(part: string): string[] {
  const found: string[] = []
  for (const start = /(?<![.\w])sql(?:<[^`]*?>)?`/g; ; ) {
    const match = start.exec(part)
    if (!match) return found
    const template = templateAt(part, match.index + match[0].length - 1)
    start.lastIndex = match.index + match[0].length - 1 + template.length
    found.push(template, ...templatesIn(template.slice(1)).filter((within) => beginsWithTable.test(within)))
  }
}

/** Those of a text; what begins with a table is put behind FROM elsewhere. */
export function statementsIn(file: string, source: string): Statement[] {
  const parts = spelledOut(source).split(/^(?=(?:export )?(?:async )?(?:function|const|class|interface|type) \w)/m)
  const nameOf = (part: string) => /^(?:export )?(?:async )?(?:function|const|class) (\w+)/.exec(part)?.[1] ?? ''
  const carriers = parts
    .filter((part) => /workspace_id[\s\S]*workspaceId/.test(withoutInner(part)))
    .map(nameOf)
    .filter(Boolean)
  return parts.flatMap((part) => {
    const local = [...part.matchAll(/const (\w+) = sql`[^`]*workspace_id[^`]*workspaceId/g)].map(([, name = '']) => name)
    return templatesIn(part).map((template) => {
      const carried = [...carriers, ...local].some((name) => new RegExp(`\\$\\{${name}\\b`).test(template))
      return { file, where: `${file} ${nameOf(part)}`, text: template.replace(beginsWithTable, '`SELECT count(*) FROM '), carried }
    })
  })
}

export const statements = sourceFiles.flatMap((file) => statementsIn(file, readSource(file)))
