// What people read on the dashboard: the messages its sources name, and the words that stand outside of them.
import fs from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'
import { remedies } from '../server/src/connector/remedies.ts'
import { inside, isNode, lineOf, type SyntaxNode } from '../server/test/syntax-tree.ts'

const ROOT = path.join(import.meta.dirname, '..')
const SOURCES = path.join(ROOT, 'dashboard/src')
export const CATALOGUE = path.join(ROOT, 'dashboard/catalogue/messages.json')

/** What is shown: attributes whose words people see or hear, and the like in objects. */
const shownAttributes = new Set(
  'label title placeholder aria-label aria-description description alt message about verb words why error never data-label nothing text hint what question of'.split(
    ' ',
  ),
)
const shownKeys = new Set('label title words why about description placeholder verb detail aria-label text message'.split(' '))
/** Attributes that name something to the machine. */
const machineAttributes = new Set(
  'className style to href type key id path variant size d viewBox autoComplete rel target color pattern points transform preserveAspectRatio gridTemplateColumns accept fontFamily fontFamilyMonospace'.split(
    ' ',
  ),
)
/** What is told to a machine, or is a name that no language changes. */
const noWords = new RegExp(
  `^(?:${[
    'npm run ',
    'wp svc-',
    'claude mcp ',
    'export ',
    'Bearer ',
    'https?:',
    '\\(prefers-',
    'Control\\+K ',
    '[a-z_]+\\.[a-z_]+$',
    '(?:WordPress|PHP|HTTPS|PDF|A4|Slack|Edge|Opera|Chrome|Claude Code|Claude Desktop|Cursor|VS Code|Codex|Token of the fleet service)$',
  ].join('|')})`,
)
const verbatim = new Set(['code', 'pre', 'kbd'])

const nameOf = (node: unknown): string => {
  const { name, property, value } = (node ?? {}) as { name?: unknown; property?: unknown; value?: unknown }
  return typeof name === 'string'
    ? name
    : isNode(name)
      ? nameOf(name)
      : typeof value === 'string'
        ? value
        : isNode(property)
          ? nameOf(property)
          : ''
}
/** The text of a literal or a template, its values as `…`. */
function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal' || node.type === 'JSXText') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')
}
const readable = (text: string) => /\p{L}/u.test(text) && !noWords.test(text.trim())
/** Whether a text is words wherever it stands: more than one, or one with a capital. */
const isWords = (text: string) => readable(text) && (/\p{L}[,.:;’]* +\p{L}/u.test(text) || /^\p{Lu}\p{Ll}/u.test(text))

export interface Texts {
  /** Message → the files that say it. */
  messages: Map<string, Set<string>>
  /** Words that are no message, each with its place. */
  outside: string[]
}

/** Looks through one file's syntax tree. */
export function readTexts(file: string, source: string, found: Texts): void {
  const { program, errors } = parseSync(file, source)
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`)
  const place = (node: SyntaxNode) => `${file}:${lineOf(source, node)}`
  const say = (node: SyntaxNode, what: string): void => {
    found.outside.push(`${place(node)}: ${what}`)
  }
  /** What the message at hand chooses by: {state, select, none {…} other {…}}. */
  const selectors = new Set<string>()
  const name = (node: SyntaxNode) => {
    const message = node.type === 'Literal' ? textOf(node) : undefined
    if (message === undefined) return say(node, 'a message must stand there as it is')
    if (message !== message.trim() || /^[,;·)]/.test(message)) say(node, `a message must be whole, this is a piece: “${message}”`)
    if (/&\w+;/.test(message)) say(node, `a message is no markup: “${message}”`)
    found.messages.set(message, (found.messages.get(message) ?? new Set()).add(file))
    selectors.clear()
    for (const [, key = ''] of message.matchAll(/(\w+) \{/g)) selectors.add(key)
  }
  const walkAll = (nodes: SyntaxNode[], shown: boolean) => {
    for (const node of nodes) walk(node, shown)
  }
  const call = (node: SyntaxNode, shown: boolean) => {
    const called = nameOf(node.callee)
    const [first, ...more] = node.arguments as SyntaxNode[]
    if (called === 't' && first) {
      name(first)
      walkAll(more[0]?.type === 'ObjectExpression' ? (more[0].properties as SyntaxNode[]).flatMap(inside) : more, true)
      return selectors.clear()
    }
    walk(node.callee as SyntaxNode, false)
    walkAll(node.arguments as SyntaxNode[], called === 'say' || (shown && called === 'String'))
  }
  const attribute = (node: SyntaxNode, ofMessage: boolean) => {
    const called = nameOf(node)
    if (!isNode(node.value)) return
    if (ofMessage && called === 'message') name(node.value)
    else if (!machineAttributes.has(called)) walk(node.value, ofMessage || shownAttributes.has(called))
  }
  const element = (node: SyntaxNode) => {
    const opening = node.openingElement as SyntaxNode | undefined
    const called = nameOf(opening?.name)
    for (const each of (opening?.attributes ?? []) as SyntaxNode[])
      if (each.type === 'JSXAttribute') attribute(each, called === 'T')
      else walk(each, false)
    selectors.clear()
    if (!verbatim.has(called)) walkAll(node.children as SyntaxNode[], true)
  }
  /** `shown`: what this comes to is put before people. */
  const walk = (node: SyntaxNode, shown: boolean): void => {
    const text = textOf(node)
    if (text !== undefined && !selectors.has(text) && (shown ? readable(text) : isWords(text))) say(node, `“${text.trim()}”`)
    switch (node.type) {
      case 'ImportDeclaration':
      case 'TSTypeAnnotation':
      case 'TSTypeAliasDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSTypeParameterInstantiation':
        return
      case 'JSXElement':
      case 'JSXFragment':
        element(node)
        return
      case 'CallExpression':
        call(node, shown)
        return
      case 'NewExpression':
        if (!['Error', 'RegExp'].includes(nameOf(node.callee))) walkAll(inside(node), false)
        return
      case 'BinaryExpression':
        // What is compared is no text.
        if (/^[=!]==?$|^in$/.test(String(node.operator)))
          walkAll(
            inside(node).filter((side) => side.type !== 'Literal'),
            false,
          )
        else walkAll(inside(node), shown)
        return
      case 'SwitchCase':
        walkAll(node.consequent as SyntaxNode[], shown)
        return
      case 'ConditionalExpression':
        walk(node.test as SyntaxNode, false)
        walkAll([node.consequent, node.alternate] as SyntaxNode[], shown)
        return
      case 'LogicalExpression':
        walk(node.left as SyntaxNode, shown && node.operator !== '&&')
        walk(node.right as SyntaxNode, shown)
        return
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
        walk(node.expression as SyntaxNode, shown)
        return
      case 'Property':
        if (shown || !machineAttributes.has(nameOf(node.key))) walk(node.value as SyntaxNode, shown || shownKeys.has(nameOf(node.key)))
        return
      case 'ArrowFunctionExpression':
        walk(node.body as SyntaxNode, shown && (node.body as SyntaxNode).type !== 'BlockStatement')
        return
      case 'AssignmentPattern':
        walk(node.right as SyntaxNode, shown)
        return
      case 'ParenthesizedExpression':
      case 'JSXExpressionContainer':
      case 'ArrayExpression':
      case 'TemplateLiteral':
        walkAll(inside(node), shown)
        return
      default:
        walkAll(inside(node), false)
        return
    }
  }
  if (isNode(program)) walk(program, false)
}

/** Words of a contract's terms, as `plainly` tells them. */
function terms(): string[] {
  const contract: unknown = JSON.parse(fs.readFileSync(path.join(ROOT, 'contract/operations.json'), 'utf8'))
  const all = new Set<string>()
  const gather = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { enum: listed } = value as { enum?: unknown }
    if (Array.isArray(listed)) for (const term of listed) if (/^[a-z][a-z_]+$/.test(String(term))) all.add(String(term))
    for (const part of Object.values(value)) gather(part)
  }
  gather(contract)
  return [...all].map((term) => term.charAt(0).toUpperCase() + term.slice(1).replaceAll('_', ' '))
}

/** The whole dashboard's, with the terms and sentences of the service that it tells in the reader's language. */
export function readAllTexts(): Texts {
  const found: Texts = { messages: new Map(), outside: [] }
  const files = fs
    .readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.d\.ts$|\.test\.tsx?$/.test(file))
  for (const file of files.toSorted()) readTexts(file.replaceAll(path.sep, '/'), fs.readFileSync(path.join(SOURCES, file), 'utf8'), found)
  for (const term of [...terms(), ...Object.values(remedies)])
    found.messages.set(term, (found.messages.get(term) ?? new Set()).add('contract'))
  return found
}

/** The catalogue: every message, and where it is said. A language is a file beside it: message → translation. */
export function catalogueText(): string {
  const sorted = [...readAllTexts().messages].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${JSON.stringify(Object.fromEntries(sorted.map(([message, files]) => [message, [...files].toSorted().join(', ')])), null, 2)}\n`
}

export const writeCatalogue = () => fs.writeFileSync(CATALOGUE, catalogueText())
