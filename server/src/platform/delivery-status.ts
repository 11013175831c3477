// Reads what mail servers send when a mail did not arrive (RFC 3464), which is written by strangers.

/** Of a mail that was given up: a code like 5.1.1, and what the server said, in its own words. */
export interface Failure {
  code: string | null
  said: string
}

type Fields = Map<string, string>

/** Undefined: it is no such notification, or tells of no mail that was given up. */
export function readFailure(message: string): Failure | undefined {
  const status = partOf(message, /^message\/(global-)?delivery-status\b/)
  const recipient = status && groupsOf(status).find((fields) => /^failed\b/i.test(fields.get('action') ?? ''))
  if (!recipient) return undefined
  const code = /^[245]\.\d{1,3}\.\d{1,3}\b/.exec(recipient.get('status') ?? '')?.[0] ?? null
  return { code, said: (recipient.get('diagnostic-code') ?? '').replace(/^[\w-]+;\s*/, '') }
}

/** The body of the first part of this type, in lines. */
function partOf(message: string, type: RegExp): string[] | undefined {
  const lines = message.split(/\r?\n/)
  if (lines[0]?.startsWith('From ')) lines.shift() // as in a mailbox
  const [head, body] = splitAt(lines)
  const report = head.get('content-type') ?? ''
  const boundary = /;\s*boundary=(?:"([^"]{1,100})"|([^\s;"]{1,100}))/i.exec(report)
  if (!/^multipart\/report\b/i.test(report) || !boundary) return undefined
  for (const part of partsBetween(body, `--${boundary[1] ?? boundary[2]}`)) {
    const [fields, content] = splitAt(part)
    if (type.test((fields.get('content-type') ?? '').toLowerCase())) return content
  }
  return undefined
}

function partsBetween(lines: readonly string[], delimiter: string): string[][] {
  const parts: string[][] = []
  for (const line of lines) {
    if (line.trimEnd() === `${delimiter}--`) break
    if (line.trimEnd() === delimiter) parts.push([])
    else parts.at(-1)?.push(line)
  }
  return parts
}

/** The fields up to the first empty line, and what follows it. */
function splitAt(lines: readonly string[]): [Fields, string[]] {
  const end = lines.findIndex((line) => line.trim() === '')
  return end === -1 ? [fieldsOf(lines), []] : [fieldsOf(lines.slice(0, end)), lines.slice(end + 1)]
}

/** A body of groups of fields, an empty line between them: one for the mail and one for each recipient. */
function groupsOf(lines: readonly string[]): Fields[] {
  const groups: string[][] = [[]]
  for (const line of lines) {
    if (line.trim() === '') groups.push([])
    else groups.at(-1)?.push(line)
  }
  return groups.map(fieldsOf)
}

/** By their names in small letters, folded lines put together; the first of a name counts. */
function fieldsOf(lines: readonly string[]): Fields {
  const fields = new Map<string, string[]>()
  let open: string[] = []
  for (const line of lines) {
    const [, name, value] = /^([\w-]{1,60}):(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) {
      if (/^[ \t]/.test(line)) open.push(line.trim())
      continue
    }
    open = [value.trim()]
    if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), open)
  }
  return new Map([...fields].map(([name, words]) => [name, words.join(' ')]))
}
