// Every sentence of ours that people read, in their language. Messages are written in ICU MessageFormat, of which this reads
// {name}, {name, plural, one {# site} other {# sites}}, {name, select, …} and <tag>…</tag>. The English text is the message's name;
// a language is a file of the catalogue, loaded before anything is drawn. Who chooses another one loads the page anew.

import { createElement, Fragment, type ReactNode } from 'react'
import { earlyAnswer } from './early-answers.ts'
import { files, language, lazily, locale } from './language.ts'

const file = files[language]
const catalogue: Record<string, string> = file
  ? await (earlyAnswer(file) ?? fetch(file)).then(
      async (answer) => (answer.ok ? ((await answer.json()) as Record<string, string>) : {}),
      () => ({}),
    )
  : {}

export type Part = string | { name: string; forms?: Record<string, Part[]>; inside?: Part[] }

/** The parts of a message; what is no syntax is text. */
export function parse(message: string): Part[] {
  let rest = message
  const take = (pattern: RegExp) => {
    const found = pattern.exec(rest)
    if (found) rest = rest.slice(found[0].length)
    return found
  }
  const parts = (): Part[] => {
    const all: Part[] = []
    while (rest && !/^(?:\}|<\/\w+>)/.test(rest)) {
      const chosen = take(/^\{(\w+), *(?:plural|select), */)
      const plain = chosen ? null : take(/^\{(\w+)\}/)
      const tag = chosen || plain ? null : take(/^<(\w+)>/)
      if (chosen) all.push({ name: chosen[1] ?? '', forms: forms() })
      else if (plain) all.push({ name: plain[1] ?? '' })
      else if (tag) {
        all.push({ name: tag[1] ?? '', inside: parts() })
        take(/^<\/\w+>/)
      } else all.push(take(/^[^{}<#]+|^./s)?.[0] ?? '')
    }
    return all
  }
  const forms = () => {
    const all: Record<string, Part[]> = {}
    for (let form = take(/^\s*(=?\w+) *\{/); form; form = take(/^\s*(=?\w+) *\{/)) {
      all[form[1] ?? ''] = parts()
      take(/^\}/)
    }
    take(/^\s*\}/)
    return all
  }
  return parts()
}

const plurals = lazily(() => new Intl.PluralRules(locale))

/** By how many places they show; undefined: as many as a number has, and at most three. */
const numbers = new Map<number | undefined, Intl.NumberFormat>()

export function number(value: number, places?: number): string {
  const known = numbers.get(places)
  const format = known ?? new Intl.NumberFormat(locale, { minimumFractionDigits: places, maximumFractionDigits: places })
  if (!known) numbers.set(places, format)
  return format.format(value)
}

type Values = Record<string, unknown>

/** What a message comes to with its values, part for part; `inside` makes what stands in a tag. */
function filled(parts: Part[], values: Values, inside: (name: string, filled: unknown[]) => unknown, counted?: number): unknown[] {
  return parts.flatMap((part): unknown[] => {
    if (part === '#' && counted !== undefined) return [number(counted)]
    if (typeof part === 'string') return [part]
    const value = values[part.name]
    if (part.inside) return [inside(part.name, filled(part.inside, values, inside, counted))]
    if (!part.forms) return [typeof value === 'number' ? number(value) : value]
    const many = typeof value === 'number' ? value : undefined
    const form = part.forms[many === undefined ? String(value) : `=${many}`] ?? (many !== undefined && part.forms[plurals().select(many)])
    return filled(form || (part.forms.other ?? []), values, inside, many ?? counted)
  })
}

/** A message as the language of the page has it; one that it has not stays English. */
export const inLanguage = (message: string) => catalogue[message] ?? message

const parsed = new Map<string, Part[]>()
function partsOf(message: string): Part[] {
  const words = inLanguage(message)
  const known = parsed.get(words) ?? parse(words)
  parsed.set(words, known)
  return known
}

/** A message without elements in it. */
export const t = (message: string, values?: Record<string, string | number | null | undefined>): string =>
  values ? filled(partsOf(message), values, (_name, all) => all.join('')).join('') : inLanguage(message)

type Words = (inside: ReactNode) => ReactNode

/** A message with elements in it: `{name}` is one, `<name>…</name>` what a function makes of the words between. */
export function T({ message, ...values }: { message: string; [name: string]: ReactNode | Words }) {
  const together = (all: unknown[]) => createElement(Fragment, null, ...(all as ReactNode[]))
  const tagged = (name: string, all: unknown[]) => (values[name] as Words)(together(all))
  return together(filled(partsOf(message), values, tagged))
}
