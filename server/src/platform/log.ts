import pino, { type Logger } from 'pino'

export type LogOptions = {
  level: string
  /** Standard output for a service, standard error for a command whose output is read by programs. */
  to: 'stdout' | 'stderr' | { write: (line: string) => void }
}

const GONE = '[removed]'

const SECRET_NAMES = 'authorization|cookie|token|secret|password|passwd|passphrase|api_?key|key|ticket|proof|enrol(?:l?ment)?_?code'
/** Names that end in a secret's word, in any case style; `token_id` names a secret without being one. */
const SECRET_FIELD = new RegExp(`(?:^|_)(?:${SECRET_NAMES})s?$`)
const MAYBE_SECRET_FIELD = new RegExp(`(?:${SECRET_NAMES})s?"\\s*:`, 'i')

// A word may begin after an escape of JSON, whose last character would look like a part of it.
const WORD_BEGINS = String.raw`(?<=^|[^0-9A-Za-z_-]|\\[bfnrt]|\\u[0-9a-f]{4})`
const WORD_ENDS = '(?![0-9A-Za-z_-])'

const SECRET_TEXTS: [RegExp, string][] = [
  [/svc_[0-9A-Za-z]{38}/g, GONE],
  // An enrolment code as it is shown, and without its dashes.
  [new RegExp(`${WORD_BEGINS}[0-9A-Za-z]{5}(?:-[0-9A-Za-z]{5}){3}${WORD_ENDS}`, 'g'), GONE],
  [new RegExp(`${WORD_BEGINS}[0-9A-HJKMNP-TV-Z]{20}${WORD_ENDS}`, 'g'), GONE],
  // A login ticket, or any other 256 bits in base64url.
  [new RegExp(`${WORD_BEGINS}[0-9A-Za-z_-]{43}${WORD_ENDS}`, 'g'), GONE],
  [/(svc-connector-login=|svc_connector_ticket=)[^&\s"'\\]+/g, `$1${GONE}`],
  [/\b(Bearer|Basic)\s+[0-9A-Za-z._~+/=-]{8,}/gi, `$1 ${GONE}`],
  [/(:\/\/[^\s:/@"]*):[^\s@/"]+@/g, `$1:${GONE}@`],
]

/** JSON lines without secrets: neither fields with a secret's name nor anything that looks like one of our secrets gets out. */
export function createLog({ level, to }: LogOptions): Logger {
  const sink = typeof to === 'string' ? pino.destination({ fd: to === 'stdout' ? 1 : 2, sync: true }) : to
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line) => sink.write(scrubLine(line)) })
}

/** Removes everything that looks like one of our secrets from any text. */
export function scrub(text: string): string {
  return SECRET_TEXTS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text)
}

function scrubLine(line: string): string {
  return scrub(MAYBE_SECRET_FIELD.test(line) ? `${JSON.stringify(JSON.parse(line, withoutSecret))}\n` : line)
}

function withoutSecret(field: string, value: unknown): unknown {
  return value !== null && typeof value !== 'boolean' && SECRET_FIELD.test(snakeCase(field)) ? GONE : value
}

function snakeCase(field: string): string {
  return field
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}
