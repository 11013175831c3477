import { commandOf,             flagOf, isRequired, positionals,             } from './manifest.js'

/** The schema that says what a value looks like, past `null` and other alternatives. */
export function plain(schema        )         {
  if (!schema.anyOf) return schema
  const typed = schema.anyOf.find(({ type }) => type !== 'null')
  return typed ? { ...plain(typed), ...(schema.description && { description: schema.description }) } : schema
}

/** Of a list its items alone, as `--json` prints them; of anything else all that is answered. */
export const answerOf = ({ output = {}, list }       )         => (list ? (plain(output).properties?.[list] ?? {}) : output)

/** The items of a list, whether they came alone or with what stands beside them. */
export function rowsOf({ list = '' }       , answer         )                        {
  const rows = Array.isArray(answer) ? answer : (answer                                  )?.[list]
  return Array.isArray(rows) ? rows : undefined
}

export const typeOf = (schema        )                     => [plain(schema).type].flat().find((type) => type !== 'null')
/** Bytes: a file's, by `@` and its name. */
export const isBase64 = (schema        ) => plain(schema).format === 'base64'
export const isBoolean = (schema                    ) => schema !== undefined && typeOf(schema) === 'boolean'

export const placeholder = (field        ) => field.replace(/_id$/, '').toUpperCase()

/** `svc backups create SITE [--type db]`. */
export function usage(entry       )         {
  const places = positionals(entry).map((field) => (isRequired(entry, field) ? placeholder(field) : `[${placeholder(field)}]`))
  const flags = Object.entries(entry.input.properties ?? {})
    .filter(([field]) => !positionals(entry).includes(field))
    .map(([field, schema]) => {
      const flag = isBoolean(schema) ? switchOf(field, schema) : `${flagOf(field)} ${valueName(schema)}`
      return isRequired(entry, field) ? flag : `[${flag}]`
    })
  return ['svc', commandOf(entry), ...places, ...flags].join(' ')
}

/** More are told where each field is explained. */
export const mostNamed = 8
/** What it may be, where that is a list. */
export const namesOf = (schema        )                     => plain(schema).enum ?? []

export function valueName(schema        )         {
  const { items } = plain(schema)
  const names = namesOf(schema)
  if (names.length > 0) return names.length > mostNamed ? 'NAME' : names.join('|')
  const type = typeOf(schema)
  if (type === 'array') return `${valueName(items ?? {})}…`
  if (type === 'integer' || type === 'number') return 'N'
  if (isBase64(schema)) return '@FILE'
  return plain(schema).format === 'date-time' ? 'TIME' : type === 'object' ? 'JSON' : 'TEXT'
}

/** `--wait`, or `--[no-]wait` where no is not what it means when it is left out. */
export const switchOf = (field        , schema        ) =>
  schema.default === false ? flagOf(field) : flagOf(field).replace('--', '--[no-]')
