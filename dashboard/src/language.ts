// Which language the page is in. Read before anything is painted, so that what stands in the page itself is in it too.

interface Here {
  document?: { documentElement: { lang: string }; querySelector(selector: string): { content?: string } | null }
  localStorage?: { getItem(key: string): string | null }
}
const { document, localStorage } = globalThis as Here

/** Where the service has each language but English; the build writes it into the page. */
export const files = JSON.parse(document?.querySelector('meta[name=languages]')?.content || '{}') as Record<string, string>

export const languages = ['en', ...Object.keys(files)]

/** As somebody chose it, else as the browser asks for it. */
const wished = document ? [localStorage?.getItem('language') ?? '', ...navigator.languages] : []
export const language = wished.map((each) => each.split('-')[0] ?? '').find((each) => languages.includes(each)) ?? 'en'

/** For numbers, dates and lists: that language as it is written where the reader is. */
export const locale = wished.find((each) => each.split('-')[0] === language && Intl.getCanonicalLocales(each)) ?? language

/** Made when it is first wanted: each of Intl's takes a millisecond or more, and few are wanted before something is drawn. */
export function lazily<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

if (document) document.documentElement.lang = language
