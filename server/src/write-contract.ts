import { mkdir, writeFile } from 'node:fs/promises'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { operations } from './capabilities.ts'
import type { AnyOperation } from './kernel/operation.ts'
import { scopesOf } from './members/schema.ts'
import { answerOf, type Manifest, manifest } from './projections/manifest.ts'
import { tools } from './projections/mcp-tools.ts'
import { openapi } from './projections/openapi.ts'
import { rolesTable } from './projections/roles.ts'

/** Where the contract lives. */
export const contractFolder = new URL('../../contract/', import.meta.url)

/** Everything clients are built on, as file name → text. A test compares it with what is committed. */
export async function contractFiles(all: readonly AnyOperation[] = operations): Promise<Record<string, string>> {
  const described = manifest(all)
  return {
    'operations.json': pretty(described),
    'openapi.json': pretty(openapi(described)),
    'tools.json': pretty(tools(all)),
    'types.ts': await typesOf(described),
    'roles.txt': rolesTable(all, scopesOf),
  }
}

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** Types of what is sent and of what REST answers, for every operation. */
async function typesOf({ operations }: Manifest): Promise<string> {
  const properties = operations.map((entry) => [
    entry.name,
    object({ input: entry.input, output: entry.bytes ? { tsType: 'Uint8Array' } : answerOf(entry), ...wholeOf(entry) }, entry.summary),
  ])
  return compile(object(Object.fromEntries(properties)) as JSONSchema, 'Operations', {
    bannerComment: '// Written by `npm run contract`. Do not edit.\n',
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    unknownAny: true,
    style: { semi: false, singleQuote: true, printWidth: 140 },
  })
}

/** A list as whoever accepts all of it gets it. */
const wholeOf = ({ name, list, output }: Manifest['operations'][number]) =>
  list && { whole: { ...output, properties: { ...output?.properties, [list]: { tsType: `Operations['${name}']['output']` } } } }

const object = (properties: Record<string, unknown>, description?: string) => ({
  type: 'object',
  ...(description && { description }),
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
})

if (import.meta.main) void write()

async function write(): Promise<void> {
  await mkdir(contractFolder, { recursive: true })
  for (const [name, text] of Object.entries(await contractFiles())) await writeFile(new URL(name, contractFolder), text)
}
