// Whatever is refused, and whoever is told it on whichever face: what to do next is said, in the words of that face.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { refused } from '../cli/src/failure.ts'
import { failureOfJob, type Job } from '../cli/src/follow.ts'
import { jobReader, loadManifest } from '../cli/src/manifest.ts'
import { inOwnWords } from '../cli/src/own-words.ts'
import { inWordsHere, nextHere } from '../dashboard/src/next.ts'
import { inWords } from '../server/src/admin/main.ts'
import { remedies } from '../server/src/connector/remedies.ts'
import { failureOf } from '../server/src/jobs/worker.ts'
import { type Code, Problem, problemDetails, problems } from '../server/src/kernel/problem.ts'
import { Refused } from '../server/src/pairing/refused.ts'
import { failure } from '../server/src/projections/mcp-result.ts'
import type { Tool } from '../server/src/projections/mcp-tools.ts'

const ROOT = join(import.meta.dirname, '..')
const codes = Object.keys(problems) as Code[]
const manifest = loadManifest()
const jobsGet = jobReader(manifest) ?? assert.fail()
const tools = JSON.parse(readFileSync(join(ROOT, 'contract/tools.json'), 'utf8')) as Tool[]
const tool = tools.find(({ name }) => name === 'get_site') ?? assert.fail()

/** A sentence that says what to do begins with one of these, or names what shows it. */
const doing =
  /(?:^|[.?;:,] |thing ?|– |\band )(?:Ask|Add|Call|Cancel|Choose|Continue|Correct|Delete|Disconnect|Do|Give|Go|Have|Leave|Let|List|Load|Log|Look|Make|Mend|Name|Open|Pair|Pass|Pick|Put|Read|Remove|Repeat|Restore|Retry|Say|See|Send|Set|Sign|Start|Stop|Switch|Take|Try|Type|Undo|Update|Use|Wait|Write)\b|(?:\b|thing)(?:list_\w+|get_\w+|svc [\w-]+ [\w-]+) (?:shows|tells)\b/i
const route = /\b(?:GET|POST|DELETE) \//
const toolName = new RegExp(`\\b(?:${tools.map(({ name }) => name).join('|')})\\b`)

const sources = (under = 'server/src') =>
  globSync(`${under}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !/\.test\.ts$/.test(file))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

/** Every refusal whose words stand in the source: its code and its message, with something in the place of what is put in. */
function refusals(): Problem[] {
  return sources().flatMap(({ text }) => {
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

/** Of each such call or object in the source, the texts that it is given: whole sentences and parts of one, with “thing” for what is put in. */
function textsGivenTo(call: RegExp, under?: string): { file: string; words: string }[] {
  return sources(under).flatMap(({ file, text }) =>
    [...text.matchAll(call)].flatMap(({ 0: head, index }) => {
      const found: string[] = []
      for (let at = index + head.length, depth = 1; depth > 0 && at < text.length; at++) {
        if (text[at] === '(' || text[at] === '{') depth++
        else if (text[at] === ')' || text[at] === '}') depth--
        else if (text[at] === "'" || text[at] === '`') {
          const { words, end } = literalAt(text, at, text[at] ?? '')
          at = end
          if (/\s/.test(words.trim())) found.push(words)
        }
      }
      return found.map((words) => ({ file, words }))
    }),
  )
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
  admin: (problem) => inWords(problem).replaceAll('\n', ' '),
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

/** Alone it says what to do: it is told without what the table of codes says, on the site or beside a field. */
function mustSay(what: RegExp, texts: { file: string; words: string }[], least: number) {
  assert.ok(texts.length >= least, `${texts.length}`)
  for (const { file, words } of texts) assert.match(words, what, `${file}: ${words}`)
}

test('what a site is told that is not paired says itself what to do, on the site as in the service', () => {
  const told = [{ file: 'a code that is none', words: new Refused('used').message }, ...textsGivenTo(/new Refused\(\s*/g)]
  mustSay(doing, told, 6)
})

/** What would be right: what to do, or what it must be. */
const right = new RegExp(`${doing.source}|\\b(?:Must|At most|At least|Only|Either|Neither)\\b`, 'i')

test('a field that is well formed and wrong is told with what would be right', () => {
  // Another's words stand as they are.
  const own = textsGivenTo(/\b(?:wrongField|wrong)\(/g).filter(({ words }) => words !== 'thing: thing')
  mustSay(right, [...own, ...textsGivenTo(/\{ path\b[^{}]*, message: /g)], 35)
})

/** A setting, or what is to be run, mended or ended. */
const operators =
  /\b(?:SERVICE_[A-Z_]+|DATABASE_URL|AWS_[A-Z_]+)\b|^thing must be\b|\bThere is: |\bmust look like\b|(?:[:;.,]|\bor) (?:run|set|put|install|stop|end|start|wait|add|copy|mend|make|see)\b/i

test('what is refused before a tool is reached is told with what would be right, by the service and by the bridge', () => {
  const told = textsGivenTo(/\b(?:rpcError|refused)\(/g, 'server/src/projections')
  const meant = told.filter(({ file, words }) => !file.includes('fixtures') && !/^(?:Bearer |thing thing$)/.test(words))
  mustSay(right, [...meant, ...textsGivenTo(/\b(?:rpcError|fail)\(/g, 'mcp/src')], 22)
})

test('an operator whose service does not start, or whose command does nothing, is told a setting or what to do', () => {
  mustSay(operators, textsGivenTo(/new (?:Refusal|ConfigError)\(/g), 40)
})

test('each reason for which a site cannot be asked has a remedy, in words of no face', () => {
  assert.ok(Object.keys(remedies).length > 30)
  for (const [reason, remedy] of Object.entries(remedies)) {
    assert.match(remedy, doing, reason)
    assert.doesNotMatch(remedy, route, reason)
    assert.doesNotMatch(remedy, toolName, reason)
  }
  for (const { file, words } of textsGivenTo(/new SiteError\(/g)) assert.match(words, /(?:[.?!]|thing)$/, `${file}: ${words}`)
})

test('a job that failed says what to do, in what it keeps and in what svc and the dashboard print', () => {
  for (const problem of all) {
    const { code, message, retryable, next } = failureOf(problem)
    const failed = { status: 'failed', error: { code, message, retryable, next } }
    const { message: head, details } = failureOfJob(manifest, inOwnWords(manifest, jobsGet, failed) as Job) ?? assert.fail()
    const svc = [head, ...details].join(' ')
    for (const text of [next, svc, nextHere[code] ?? '']) assert.match(text, doing, `${code}: ${text}`)
    assert.doesNotMatch(svc, toolName)
    assert.doesNotMatch(svc, route)
  }
  assert.match(failureOf(new Error('ours')).next, doing)
})
