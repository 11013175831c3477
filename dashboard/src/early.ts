// Before anything is painted, and while the scripts are on their way. The rest of the page begins when its frame is painted.
import { askEarly } from './early-answers.ts'
import { files, language, locale } from './language.ts'

// Light or dark as it was chosen, else as the system has it.
const chosen = localStorage.getItem('mantine-color-scheme-value')
const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
const root = document.documentElement
root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')

const content = (name: string) => document.querySelector(`meta[name=${name}]`)?.getAttribute('content') ?? ''
const pages = JSON.parse(content('pages') || '{}') as { app?: string[]; sites?: string[]; site?: string[] }
const site = /^\/sites\/(\w+)$/.exec(location.pathname)?.[1]
const page: 'site' | 'sites' | 'other' = site ? 'site' : location.pathname === '/' ? 'sites' : 'other'
root.dataset.page = page

const words = files[language]
if (words) askEarly(words)
askEarly('/session')
if (content('frame') === 'index') {
  askFor(page)
  // Whoever makes the first of these waits until the browser has read how numbers are written: now, while the style comes, nobody does.
  new Intl.NumberFormat(locale)
}

/** What the page asks first, and its script. Whoever is not signed in after all is told so by every answer. */
function askFor(page: 'site' | 'sites' | 'other'): void {
  askEarly('/api/v1/approvals?status=pending&limit=200')
  if (page === 'sites' && !location.search) askEarly('/api/v1/fleet?limit=100', { headers: { accept: 'application/vnd.svc.list+json' } })
  if (page === 'site') {
    askEarly(`/api/v1/sites/${site}`)
    askEarly(`/api/v1/jobs?site_id=${site}&limit=5`)
  }
  for (const href of (page !== 'other' && pages[page]) || [])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href, fetchPriority: 'low' }))
}

/** One after the other, each in a turn of its own: a finger or a key may come between. */
const begin = async () => {
  for (const each of pages.app ?? []) await import(each)
}
// Where nobody looks nothing is painted.
if (document.hidden) void begin()
else requestAnimationFrame(() => setTimeout(begin))
