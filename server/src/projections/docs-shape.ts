import { answerOf, type Entry, type JsonSchema } from './manifest.ts'

const deepest = 4
/** Characters of a line, as wide as the column is on most screens. */
const room = 60

/** The answer as an outline: field, type, and what it means behind a //. */
export function answerShape(entry: Entry): string {
  if (entry.bytes) return 'The bytes of a file.'
  const outline = shape(answerOf(entry), '', 0)
  return entry.stream ? `Server-sent events, without end. The data of each:\n${outline}` : outline
}

/** A type in a few letters: `"full" | "db"`, `time | null`, `string[]`. */
export function typeName(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const either = schema.anyOf ?? schema.oneOf
  if (either) return [...new Set(either.map(typeName))].join(' | ')
  if (Array.isArray(schema.type)) return schema.type.join(' | ')
  if (schema.type === 'array') return bracketed(typeName(schema.items ?? {}))
  if (schema.format === 'date-time') return 'time'
  return schema.type ?? 'any'
}

const bracketed = (name: string) => (name.includes(' ') ? `(${name})[]` : `${name}[]`)

function shape(schema: JsonSchema, indent: string, depth: number): string {
  const { object, nullable } = inside(schema)
  const tail = nullable ? ' | null' : ''
  if (!object || depth > deepest) return typeName(schema)
  if (object.type === 'array') return `[${shape(object.items ?? {}, indent, depth)}, …]${tail}`
  const lines = Object.entries(object.properties ?? {}).map(([name, inner]) => fieldLine(name, inner, `${indent}  `, depth + 1))
  return `{\n${lines.join('\n')}\n${indent}}${tail}`
}

/** What a field means stands behind it where there is room, above it otherwise. */
function fieldLine(name: string, schema: JsonSchema, indent: string, depth: number): string {
  const line = `${indent}${name}: ${shape(schema, indent, depth)}`
  const words = schema.description ? `// ${schema.description}` : ''
  if (!words) return line
  return line.includes('\n') || line.length + words.length > room ? `${indent}${words}\n${line}` : `${line}  ${words}`
}

/** The object, or list of objects, to be unfolded; behind `null` too. */
function inside(schema: JsonSchema): { object: JsonSchema | undefined; nullable: boolean } {
  const either = schema.anyOf?.filter(({ type }) => type !== 'null')
  const only = either?.length === 1 ? either[0] : schema
  const unfolds = only?.properties !== undefined || (only?.type === 'array' && inside(only.items ?? {}).object !== undefined)
  return { object: unfolds ? only : undefined, nullable: either !== undefined && either.length < (schema.anyOf?.length ?? 0) }
}
