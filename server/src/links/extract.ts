// Every address that a page names, as a browser without scripts finds it.
import { SAXParser, type StartTag } from 'parse5-sax-parser'
import { clean } from '../connector/clean.ts'
import { cssUrls, refreshUrl, resolved, srcsetUrls } from './references.ts'

export interface Link {
  /** Absolute, with its fragment; where `malformed`, as it is written. */
  url: string
  malformed: boolean
  /** Whoever follows it comes to another page. */
  isAnchor: boolean
  isStyle: boolean
  element: string
  text: string
}

export interface Contents {
  links: Link[]
  /** What fragments can point at. */
  ids: Set<string>
}

const mostLinks = 5000
const longestText = 120

/** Attributes with one address. */
const single: Record<string, readonly string[]> = {
  a: ['href'],
  area: ['href'],
  link: ['href'],
  img: ['src'],
  source: ['src'],
  script: ['src'],
  iframe: ['src'],
  frame: ['src'],
  embed: ['src'],
  audio: ['src'],
  video: ['src', 'poster'],
  track: ['src'],
  input: ['src'],
  object: ['data'],
  body: ['background'],
  table: ['background'],
  td: ['background'],
  use: ['href', 'xlink:href'],
  image: ['href', 'xlink:href'],
}
/** Of links: these name a host, or an interface that answers nobody who just asks. */
const notFetched = /\b(?:preconnect|dns-prefetch|pingback|edituri|wlwmanifest)\b/i

/** `page`: its address. */
export async function extract(html: string, page: string): Promise<Contents> {
  const reading = new Reading(page)
  await read(html, reading)
  // Without scripts, what stands there is part of the page; a tokenizer takes it for text.
  for (const part of reading.withoutScripts.splice(0)) await read(part, reading)
  return reading.contents()
}

async function read(html: string, reading: Reading): Promise<void> {
  const parser = new SAXParser()
  parser.on('startTag', (tag) => reading.open(tag))
  parser.on('endTag', ({ tagName }) => reading.close(tagName))
  parser.on('text', ({ text }) => reading.text(text))
  // It is a stream: without a reader it would stop at its first full buffer.
  parser.resume()
  await new Promise<void>((done, failed) => parser.once('error', failed).end(html, done))
}

/** A style sheet of its own. */
export const extractCss = (css: string, address: string): Link[] =>
  cssUrls(css)
    .slice(0, mostLinks)
    .flatMap((text) => found(text, address, 'css url()') ?? [])

function found(text: string, base: string, element: string): Link | undefined {
  const url = resolved(text, base)
  if (url === null) return undefined
  const malformed = url === 'malformed'
  return { url: malformed ? clean(text, 300) : url, malformed, element, text: '', isAnchor: false, isStyle: false }
}

class Reading {
  #base: string
  #hasBase = false
  readonly #found: Link[] = []
  readonly #ids = new Set<string>()
  /** The anchor whose text is being read. */
  #anchor: Link | undefined
  #words = ''
  #inside: 'style' | 'noscript' | null = null
  readonly withoutScripts: string[] = []

  constructor(page: string) {
    this.#base = page
  }

  contents(): Contents {
    this.#endAnchor()
    return { links: this.#found, ids: this.#ids }
  }

  open({ tagName, attrs }: StartTag): void {
    const tag = tagName.toLowerCase()
    const attributes = new Map(attrs.map(({ name, value }) => [name.toLowerCase(), value]))
    const id = attributes.get('id')
    if (id) this.#ids.add(id)
    const name = tag === 'a' ? attributes.get('name') : undefined
    if (name) this.#ids.add(name)
    if (tag === 'base') this.#useBase(attributes.get('href'))
    // An anchor in an anchor ends the one around it.
    if (tag === 'a') this.#endAnchor()
    if (tag === 'style' || tag === 'noscript') this.#inside = tag
    if (tag === 'img' && this.#anchor) this.#words += ` ${attributes.get('alt') ?? ''}`
    this.#collect(tag, attributes)
  }

  #collect(tag: string, attributes: ReadonlyMap<string, string>): void {
    const isLink = tag === 'link'
    const rel = attributes.get('rel') ?? ''
    for (const name of isLink && notFetched.test(rel) ? [] : (single[tag] ?? [])) {
      const value = attributes.get(name)
      if (value === undefined || (value.trim() === '' && tag !== 'img')) continue
      const link = this.#add(value, `${tag}[${name}]`)
      if (link && (tag === 'a' || tag === 'area' || tag === 'iframe' || tag === 'frame')) link.isAnchor = true
      if (link && isLink && /\bstylesheet\b/i.test(rel)) link.isStyle = true
      if (link && tag === 'a') this.#anchor = link
    }
    for (const name of ['srcset', 'imagesrcset'])
      for (const value of srcsetUrls(attributes.get(name) ?? '')) this.#add(value, `${tag}[${name}]`)
    for (const value of cssUrls(attributes.get('style') ?? '')) this.#add(value, `${tag}[style]`)
    if (tag === 'meta' && /^refresh$/i.test(attributes.get('http-equiv') ?? '')) {
      const value = refreshUrl(attributes.get('content') ?? '')
      const link = value === null ? undefined : this.#add(value, 'meta refresh')
      if (link) link.isAnchor = true
    }
  }

  close(tagName: string): void {
    if (tagName === 'a') this.#endAnchor()
    if (tagName === this.#inside) this.#inside = null
  }

  text(text: string): void {
    if (this.#inside === 'noscript') this.withoutScripts.push(text)
    else if (this.#inside === 'style') for (const value of cssUrls(text)) this.#add(value, 'style url()')
    else if (this.#anchor && this.#words.length < 10 * longestText) this.#words += text
  }

  #useBase(href: string | undefined): void {
    if (this.#hasBase || href === undefined) return
    const url = resolved(href, this.#base)
    if (url !== null && url !== 'malformed') this.#base = url
    this.#hasBase = true
  }

  #add(text: string, element: string): Link | undefined {
    if (this.#found.length >= mostLinks) return undefined
    const link = found(text, this.#base, element)
    if (link) this.#found.push(link)
    return link
  }

  #endAnchor(): void {
    if (this.#anchor) this.#anchor.text = clean(this.#words.replaceAll(/\s+/g, ' '), longestText)
    this.#anchor = undefined
    this.#words = ''
  }
}
