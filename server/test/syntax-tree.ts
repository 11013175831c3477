import { extname } from 'node:path'
import { parseSync } from 'oxc-parser'

/** A node of a syntax tree, as ESTree names them. */
export interface SyntaxNode {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

export const isNode = (value: unknown): value is SyntaxNode => typeof (value as SyntaxNode | null)?.type === 'string'

/** The nodes right below one. */
export const inside = (node: SyntaxNode): SyntaxNode[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)

const allOf = (node: SyntaxNode): SyntaxNode[] => [node, ...inside(node).flatMap(allOf)]

/** Every node of a source, each before what stands inside of it. */
export function nodesOf(text: string, file = 'x.ts'): SyntaxNode[] {
  const { program } = parseSync(`x${extname(file)}`, text)
  return isNode(program) ? allOf(program) : []
}

/** The line on which a node begins. */
export const lineOf = (text: string, { start }: SyntaxNode) => text.slice(0, start).split('\n').length
