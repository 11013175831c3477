import { Problem } from './problem.ts'

/** Whether these headers say that the body is JSON as it is: in UTF-8, not compressed. */
export function isJsonType({
  'content-type': type = '',
  'content-encoding': packed,
}: Record<string, string | string[] | undefined>): boolean {
  return packed === undefined && /^application\/json\s*(;|$)(?!.*charset\s*=(?![\s"]*utf-?8\b))/i.test(String(type))
}

/** The value of a JSON text. Where an object names a field twice, nobody knows which of the two was meant, so it is refused. */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Problem('invalid_payload', 'The body is not JSON.', { cause })
  }
  const path = namesIn(text) === keysOf(value) ? undefined : namedTwice(text)
  if (path === undefined) return value
  throw new Problem('invalid_payload', 'Some fields are not valid.', {
    errors: [{ path: path.slice(0, 200), message: 'It is given twice. Give it once.' }],
  })
}

const [quote, colon, backslash] = ['"', ':', '\\'].map((sign) => sign.charCodeAt(0))

/** How many names the objects of a JSON text have together: as many as there are colons outside of strings. */
function namesIn(text: string): number {
  let names = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === colon) names++
    else if (code === quote) for (i++; text.charCodeAt(i) !== quote; i++) if (text.charCodeAt(i) === backslash) i++
  }
  return names
}

/** How many of them are left in its value: one fewer for each that stands twice. However deep, without recursion. */
function keysOf(value: unknown): number {
  let keys = 0
  for (const open = [value]; open.length > 0; ) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) continue
    const inner = one as Record<string, unknown>
    const counts = !Array.isArray(one)
    for (const name in inner) {
      if (counts) keys++
      const each = inner[name]
      if (typeof each === 'object' && each !== null) open.push(each)
    }
  }
  return keys
}

/** A string and, where it is a name, the colon after it; or where an object begins or ends. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"\s*:?|[{}]/gs

/** The dotted path of the first name that stands twice in one object. The text is known to be JSON. */
function namedTwice(text: string): string | undefined {
  const open: { names: Set<string>; last: string }[] = []
  for (const [found] of text.matchAll(token)) {
    if (found === '{') open.push({ names: new Set(), last: '' })
    else if (found === '}') open.pop()
    else if (found.endsWith(':')) {
      const object = open.at(-1)
      if (!object) continue
      object.last = JSON.parse(found.slice(0, -1))
      if (object.names.has(object.last)) return open.map(({ last }) => last).join('.')
      object.names.add(object.last)
    }
  }
  return undefined
}
