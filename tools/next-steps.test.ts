// Whatever is refused, and whoever is told it on whichever face: what to do next is said, in the words of that face.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { refused } from '../cli/src/failure.ts'
import { loadManifest } from '../cli/src/manifest.ts'
import { inWordsHere, nextHere } from '../dashboard/src/next.ts'
import { type Code, Problem, problemDetails, problems } from '../server/src/kernel/problem.ts'
import { failure } from '../server/src/projections/mcp-result.ts'
import type { Tool } from '../server/src/projections/mcp-tools.ts'

const ROOT = join(import.meta.dirname, '..')
const codes = Object.keys(problems) as Code[]
const manifest = loadManifest()
const tools = JSON.parse(readFileSync(join(ROOT, 'contract/tools.json'), 'utf8')) as Tool[]
const tool = tools.find(({ name }) => name === 'get_site') ?? assert.fail()

/** A sentence that says what to do begins with one of these, or names what shows it. */
const doing =
  /(?:^|[.?;:,] |thing ?|– |\band )(?:Ask|Add|Call|Cancel|Choose|Continue|Correct|Delete|Disconnect|Do|Give|Go|Have|Leave|Let|List|Load|Log|Look|Make|Mend|Name|Open|Pair|Pass|Pick|Put|Read|Remove|Repeat|Restore|Retry|Say|See|Send|Set|Sign|Start|Stop|Switch|Take|Try|Type|Undo|Update|Use|Wait|Write)\b|(?:\b|thing)(?:list_\w+|get_\w+|svc [\w-]+ [\w-]+) (?:shows|tells)\b/i
const route = /\b(?:GET|POST|DELETE) \//
const toolName = new RegExp(`\\b(?:${tools.map(({ name }) => name).join('|')})\\b`)

/** Every refusal whose words stand in the source: its code and its message, with something in the place of what is put in. */
function refusals(): Problem[] {
  const files = globSync('server/src/**/*.ts', { cwd: ROOT }).filter((file) => !/\.test\.ts$/.test(file))
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    return [...text.matchAll(/new Problem\(\s*'(\w+)',\s*(?='|`)/g)].map(({ 0: head, 1: code, index }) => {
      const start = index + head.length
      const { words, end } = literalAt(text, start, text[start] ?? '')
      const retryable = !/^['`],\s*\{[^}]*\bretryable: false\b/.test(text.slice(end))
      return new Problem(code as Code, words, retryable ? {} : { retryable })
    })
  })
}

/** The text between two quotes, and where it ends; “thing” stands for what is put in. */
function literalAt(text: string, start: number, quote: string): { words: string; end: number } {
  let words = ''
  for (let at = start + 1, depth = 0; at < text.length; at++) {
    if (depth === 0 && text[at] === quote) return { words, end: at }
    if (quote === '`' && text.startsWith('${', at)) words += depth++ === 0 ? 'thing' : ''
    else if (depth > 0 && text[at] === '}') depth--
    else if (depth === 0) words += text[at] === '\\' ? text[++at] : text[at]
  }
  return { words, end: text.length }
}

/** What each face shows of a refusal. */
const faces: Record<string, (problem: Problem) => string> = {
  REST: (problem) => {
    const { detail, next } = problemDetails(problem, 'req_1')
    return `${detail} ${next}`
  },
  MCP: (problem) => {
    const { content } = JSON.parse(`{${failure(tool, problem, 'req_1')}}`) as { content: { text: string }[] }
    return (JSON.parse(content[0]?.text ?? '{}') as { message: string }).message.replace(`${tool.name} failed. `, '')
  },
  svc: (problem) => {
    const body = JSON.parse(JSON.stringify(problemDetails(problem, 'req_1')))
    const { message, details } = refused(manifest, problems[problem.code].status, body, 'sites get')
    return [message, ...details].join(' ')
  },
  dashboard: ({ code, message }) => `${inWordsHere(message)} ${nextHere[code]}`,
}

const all = [...codes.map((code) => new Problem(code, 'Something.')), ...refusals()]

test('the walk meets what is refused in the source', () => {
  assert.ok(all.length > 130, `${all.length}`)
  assert.deepEqual([...new Set(all.map(({ code }) => code))].sort(), codes.toSorted())
})

for (const [face, shown] of Object.entries(faces))
  test(`${face} says of every refusal what to do next`, () => {
    for (const problem of all) {
      const text = shown(problem)
      assert.match(text, doing, `${problem.code}: ${text}`)
      assert.doesNotMatch(text, /undefined|null|\[object/, text)
      assert.doesNotMatch(text, /\.\.|\. \./, text)
    }
  })

/** Whoever shows again who they are is let through. */
const mayBeFinal = (code: Code) => code !== 'confirmation_required'

test('what will not be let through another time is not to be asked again', () => {
  const final = [...all, ...codes.filter(mayBeFinal).map((code) => new Problem(code, 'Something.', { retryable: false }))].filter(
    ({ retryable }) => !retryable,
  )
  assert.ok(final.length > 80 && final.filter(({ code }) => code === 'conflict').length > 20, `${final.length}`)
  for (const problem of final)
    for (const face of ['REST', 'MCP']) assert.doesNotMatch(faces[face]?.(problem) ?? '', /\b(?:ask|call \w+) again\b/i)
  const own = new Problem('insufficient_scope', 'All agents are paused.', { next: 'Wait.' })
  assert.deepEqual([faces.REST?.(own), faces.MCP?.(own)], ['All agents are paused. Wait.', 'All agents are paused. Wait.'])
})

test('a refusal speaks in whole sentences', () => {
  for (const { code, message } of all) assert.match(message, /(?:[.?!]|thing|: [^.]+)$/, `${code}: ${message}`)
})

test('svc names its own commands, the dashboard neither tools nor headers, and tools no routes', () => {
  for (const problem of all) {
    const [svc = '', mcp = '', here = ''] = ['svc', 'MCP', 'dashboard'].map((face) => faces[face]?.(problem))
    assert.doesNotMatch(svc, toolName)
    assert.doesNotMatch(svc, route)
    assert.doesNotMatch(svc, /Retry-After|Authorization/)
    assert.doesNotMatch(mcp, route)
    assert.doesNotMatch(here, toolName)
    assert.doesNotMatch(here, route)
  }
  for (const code of codes) assert.doesNotMatch(nextHere[code] ?? '', /_|`|Retry-After|Authorization|Content-Type|Allow|\btoken\b/, code)
})

test('an operation or a tool that is named with its route is one that there is, under that route', () => {
  const said = [...all.map(({ message }) => message), ...Object.values(problems).map(({ next }) => next)]
  const named = said.flatMap((text) => [
    ...text.matchAll(/\b(?:thing(?=[a-z]+_))?([a-z]+(?:\.[a-z]+)?(?:_[a-z]+)*) \(((?:GET|POST|DELETE) \/[^)?]*)/g),
  ])
  assert.ok(named.length > 15, `${named.length}`)
  for (const [words, name, path = ''] of named)
    assert.ok(
      manifest.operations.some((operation) => [operation.name, operation.tool].includes(name) && operation.http.includes(path)),
      words,
    )
})

test('a wrong argument is told with the arguments there are, and what waits with how long', () => {
  const wrong = new Problem('invalid_payload', 'Some fields are not valid.', {
    errors: [{ path: 'site_id', message: 'Must not be empty.' }],
  })
  assert.match(faces.MCP?.(wrong) ?? '', /The arguments are: site_id \(required\)\. Correct them and call get_site again\./)
  assert.match(faces.svc?.(wrong) ?? '', /site_id: Must not be empty\. See `svc sites get --help`\./)
  assert.match(faces.MCP?.(new Problem('rate_limited', 'Too many.', { retryAfter: 7 })) ?? '', /Wait 7 s, then call get_site again\./)
})
