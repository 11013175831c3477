import { commandOf,             flagOf, isRequired, positionals,             } from './manifest.js'

/** The schema that says what a value looks like, past `null` and other alternatives. */
export function plain(schema        )         {
  if (!schema.anyOf) return schema
  const typed = schema.anyOf.find(({ type }) => type !== 'null')
  return typed ? { ...plain(typed), ...(schema.description && { description: schema.description }) } : schema
}

export const typeOf = (schema        )                     => [plain(schema).type].flat().find((type) => type !== 'null')
export const isBoolean = (schema                    ) => schema !== undefined && typeOf(schema) === 'boolean'

export const placeholder = (field        ) => field.replace(/_id$/, '').toUpperCase()

/** `svc backups create SITE [--type db]`. */
export function usage(entry       )         {
  const places = positionals(entry).map((field) => (isRequired(entry, field) ? placeholder(field) : `[${placeholder(field)}]`))
  const flags = Object.entries(entry.input.properties ?? {})
    .filter(([field]) => !positionals(entry).includes(field))
    .map(([field, schema]) => {
      const flag = isBoolean(schema) ? flagOf(field) : `${flagOf(field)} ${valueName(schema)}`
      return isRequired(entry, field) ? flag : `[${flag}]`
    })
  return ['svc', commandOf(entry), ...places, ...flags].join(' ')
}

export function valueName(schema        )         {
  const { enum: values, items } = plain(schema)
  if (values) return values.join('|')
  const type = typeOf(schema)
  if (type === 'array') return `${valueName(items ?? {})}…`
  if (type === 'integer' || type === 'number') return 'N'
  return plain(schema).format === 'date-time' ? 'TIME' : type === 'object' ? 'JSON' : 'TEXT'
}
