/** An address without user, query, fragment and the slashes at its end. Throws a TypeError for what is none. */
export function plainUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

/** What tells sites apart: `example.com`, `example.com:8080` or `example.com/blog`; with https or without is the same. Of a plain URL. */
export const domainOf = (url: string): string =>
  url
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '')
    .toLowerCase()

/** The same without a leading `www.`; of a host too. */
export const bareDomain = (domain: string): string => domain.replace(/^www\./, '')

/** The domain of what somebody typed. */
export function typedDomain(typed: string): string {
  const url = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`
  return domainOf(URL.canParse(url) ? plainUrl(url) : typed)
}
