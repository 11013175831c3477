// A process of its own: Lighthouse over a browser that its parent has started, spoken with through two pipes.
// It has no environment, and may read Lighthouse's folder and itself, write nothing, and start nothing (`--permission`).
import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'

export interface Task {
  /** The folder with Lighthouse. */
  lab: string
  url: string
  /** Passed once, so that the browser knows the proxy's password. */
  door: { url: string; username: string; password: string }
  form: 'mobile' | 'desktop'
  categories: readonly Category[]
  /** Of somebody who is signed in. */
  cookies?: readonly { name: string; value: string; url: string }[]
}
export type Category = 'performance' | 'accessibility'
/** What one run came to. `problem`: Lighthouse's word for why there is nothing. */
export interface Report {
  problem: string | null
  scores: Partial<Record<Category, number | null>>
  url: string
  fcp_ms: number | null
  lcp_ms: number | null
  cls: number | null
  tbt_ms: number | null
  lighthouse: string
  chromium: string
  benchmark_index: number
  /** What is not as it should be, by the names of Lighthouse's audits. */
  faults: { id: string; score: number; weight: number; said: string }[]
}

interface Audit {
  score: number | null
  numericValue?: number
  displayValue?: string
  title: string
}
interface Result {
  lighthouseVersion: string
  finalDisplayedUrl: string
  runtimeError?: { code: string }
  environment: { benchmarkIndex: number }
  audits: Record<string, Audit>
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
}
interface Page {
  authenticate(who: { username: string; password: string }): Promise<void>
  goto(url: string): Promise<{ status(): number } | null>
  setCookie(...cookies: readonly object[]): Promise<void>
  close(): Promise<void>
}
interface Browser {
  version(): Promise<string>
  newPage(): Promise<Page>
}
interface Installed {
  connect(options: object): Promise<Browser>
  run(url: string, flags: object, config: object, page: Page): Promise<{ lhr: Result } | undefined>
  desktop: object
}

process.once('message', (task: Task) => {
  void look(task).then(
    (report) => process.send?.({ report }, () => process.exit(0)),
    (error: unknown) => process.send?.({ failed: error instanceof Error ? error.message : String(error) }, () => process.exit(1)),
  )
})

async function look({ lab, url, door, form, categories, cookies }: Task): Promise<Report> {
  const { connect, run, desktop } = await load(lab)
  const browser = await connect({ transport: pipes(), defaultViewport: null, acceptInsecureCerts: false })
  const first = await browser.newPage()
  await first.authenticate(door)
  if ((await first.goto(door.url))?.status() !== 200) throw new Error('The way out is shut.')
  await first.close()
  const page = await browser.newPage()
  if (cookies) await page.setCookie(...cookies)
  const flags = { output: 'json', logLevel: 'silent', maxWaitForLoad: 30_000, disableStorageReset: cookies !== undefined }
  const settings = { onlyCategories: categories, disableFullPageScreenshot: true }
  const config = { ...desktopOr(form, desktop), settings: { ...settingsOf(form, desktop), ...settings } }
  const result = await run(url, flags, { extends: 'lighthouse:default', ...config }, page)
  if (!result) throw new Error('Lighthouse said nothing.')
  return reportOf(result.lhr, /([\d.]+)$/.exec(await browser.version())?.[1] ?? 'unknown')
}

const desktopOr = (form: Task['form'], desktop: object) => (form === 'desktop' ? desktop : {})
const settingsOf = (form: Task['form'], desktop: object) => (form === 'desktop' ? (desktop as { settings: object }).settings : {})

async function load(lab: string): Promise<Installed> {
  const from = (file: string) => import(pathToFileURL(`${lab}/node_modules/${file}`).href)
  const { default: run, desktopConfig } = await from('lighthouse/core/index.js')
  const { connect } = await from('puppeteer-core/lib/puppeteer/puppeteer-core.js')
  return { connect, run, desktop: desktopConfig }
}

/** JSON, each message ended by a zero byte; towards the browser and from it. */
function pipes() {
  const [to, from] = [new Socket({ fd: 3, readable: false, writable: true }), new Socket({ fd: 4, readable: true, writable: false })]
  let pieces: Buffer[] = []
  const transport = {
    onmessage: undefined as ((message: string) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    send: (message: string) => void to.write(`${message}\0`),
    close: () => to.destroy(),
  }
  from.on('data', (bytes: Buffer) => {
    let start = 0
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      const message = Buffer.concat([...pieces, bytes.subarray(start, end)]).toString('utf8')
      pieces = []
      start = end + 1
      // Each in a turn of its own, as over a socket.
      setImmediate(() => transport.onmessage?.(message))
    }
    if (start < bytes.length) pieces.push(bytes.subarray(start))
  })
  from.on('close', () => transport.onclose?.())
  return transport
}

function reportOf({ audits, categories, environment, runtimeError, ...lhr }: Result, chromium: string): Report {
  const value = (id: string) => audits[id]?.numericValue ?? null
  const refs = Object.values(categories).flatMap(({ auditRefs }) => auditRefs)
  return {
    problem: runtimeError?.code ?? null,
    scores: Object.fromEntries(
      Object.entries(categories).map(([name, { score }]) => [name, score === null ? null : Math.round(100 * score)]),
    ),
    url: lhr.finalDisplayedUrl,
    fcp_ms: rounded(value('first-contentful-paint')),
    lcp_ms: rounded(value('largest-contentful-paint')),
    cls: rounded(value('cumulative-layout-shift'), 1000),
    tbt_ms: rounded(value('total-blocking-time')),
    lighthouse: lhr.lighthouseVersion,
    chromium,
    benchmark_index: Math.round(environment.benchmarkIndex),
    faults: refs.flatMap(({ id, weight }) => {
      const audit = audits[id]
      if (!audit || audit.score === null || audit.score >= 0.9 || weight === 0) return []
      return [{ id, weight, score: audit.score, said: `${audit.title} ${audit.displayValue ?? ''}`.trim().slice(0, 200) }]
    }),
  }
}

const rounded = (value: number | null, parts = 1) => (value === null ? null : Math.round(parts * value) / parts)
