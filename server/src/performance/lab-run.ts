// One lab run: the operator's browser, whose only way out is the guard's, and beside it a process with Lighthouse that drives it.
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { type Chromium, type Trouble, withChromium, withFolder } from '../platform/chromium.ts'
import type { OpenTunnel } from '../platform/guarded-fetch.ts'
import { type Most, openWayOut, TooMuch, usualMost, type WayOut } from '../platform/way-out.ts'
import type { Report, Task } from './lab-runner.ts'
import { NoPage } from './probe.ts'

export interface LabRun extends Pick<Task, 'url' | 'form' | 'categories' | 'cookies'> {
  browser: Chromium
  tunnel: OpenTunnel
  signal: AbortSignal
  most?: Most
}

/** Why there are no figures, in a sentence of ours. */
export class NoLab extends NoPage {}

export const usualLabMs = 180_000
const installed = path.resolve(import.meta.dirname, '../../lab')
const runner = path.join(import.meta.dirname, 'lab-runner.ts')
/** A trace and all that the browser tells of a page. */
const mostSaid = 512 * 1024 * 1024
const mostHeap = 768

/** Why lab runs cannot be made here; null: they can. */
export function whyNoLab({ chromium }: { chromium: string | undefined }): string | null {
  if (chromium === undefined) return 'No Chromium is configured (SERVICE_CHROMIUM).'
  return fs.existsSync(path.join(installed, 'node_modules/lighthouse/package.json'))
    ? null
    : 'Lighthouse is not installed: npm run lab:install does it.'
}

const trouble: Record<Trouble, string> = {
  'not started': 'The browser could not be started (SERVICE_CHROMIUM).',
  'ended badly': 'The browser ended by itself (SERVICE_CHROMIUM, SERVICE_CHROMIUM_SANDBOX).',
  'too long': 'The page did not come to rest in time.',
  'too much memory': 'The page took too much memory.',
}

/** Throws NoLab. */
export async function runLab(run: LabRun): Promise<Report> {
  const way = await openWayOut(run.tunnel, run.most ?? usualMost)
  try {
    return await withFolder({}, (folder) => inBrowser(run, way, folder))
  } catch (error) {
    throw error instanceof TooMuch ? new NoLab(error.message) : error
  } finally {
    way.close()
  }
}

const inBrowser = (run: LabRun, way: WayOut, folder: string) =>
  withChromium(run.browser, { folder, words: wordsFor(way), piped: true }, async (browser) => {
    const child = startRunner()
    const stopped = browser.trouble.then((how) => Promise.reject(new NoLab(trouble[how ?? 'ended badly'])))
    const { promise: left, reject: leave } = Promise.withResolvers<never>()
    const give = () => leave(run.signal.reason)
    run.signal.addEventListener('abort', give, { once: true })
    try {
      run.signal.throwIfAborted()
      const heard = await Promise.race([hear(child, browser.child, taskOf(run, way)), stopped, left, way.spent])
      return judged(heard, way, run.url)
    } finally {
      run.signal.removeEventListener('abort', give)
      child.kill('SIGKILL')
      stopped.catch(() => undefined)
    }
  })

/** Names are looked up by the proxy alone, and nothing goes past it. */
const wordsFor = ({ address }: WayOut) => [
  ...['--remote-debugging-pipe', '--hide-scrollbars', '--mute-audio', '--disable-quic', '--block-new-web-contents'],
  ...[`--proxy-server=${address}`, '--proxy-bypass-list=<-loopback>', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  ...['--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--webrtc-ip-handling-policy=disable_non_proxied_udp'],
  // Nothing of its own accord: it would ask Google whether somebody is signed in.
  ...['--gaia-url=http://door.invalid', '--allow-browser-signin=false', '--disable-domain-reliability', '--no-pings', '--disable-breakpad'],
  ...['--deny-permission-prompts', '--disable-features=AsyncDns,DnsOverHttps,MediaRouter,OptimizationHints,Translate', 'about:blank'],
]

const taskOf = ({ url, form, categories, cookies }: LabRun, { door, user, password }: WayOut): Task => ({
  ...{ lab: installed, url, form, categories, door: { url: door, username: user, password } },
  ...(cookies && { cookies }),
})

function startRunner(): ChildProcess {
  // The packages may lie elsewhere, behind a link.
  const packages = fs.realpathSync(path.join(installed, 'node_modules'))
  const allowed = ['--permission', ...[runner, `${installed}/*`, `${packages}/*`].map((each) => `--allow-fs-read=${each}`)]
  const words = [...allowed, `--max-old-space-size=${mostHeap}`, '--disable-warning=ExperimentalWarning', runner]
  return spawn(process.execPath, words, { cwd: installed, env: {}, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe', 'ipc'] })
}

/** What the process says in the end. What it and the browser say to each other passes through unread. */
function hear(child: ChildProcess, browser: ChildProcess, task: Task): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>()
  const [, , , toBrowser, fromBrowser] = browser.stdio as unknown as [null, null, null, Duplex, Readable]
  const [, , , fromChild, toChild] = child.stdio as unknown as [null, null, null, Duplex, Duplex]
  const gone = () => reject(new NoLab('Lighthouse ended by itself.'))
  let said = 0
  fromBrowser.on('data', (piece: Buffer) => {
    said += piece.length
    if (said > mostSaid) reject(new NoLab('The browser told more of the page than can be looked at.'))
  })
  for (const each of [toBrowser, fromBrowser, fromChild, toChild]) each.on('error', () => undefined)
  fromBrowser.pipe(toChild)
  fromChild.pipe(toBrowser)
  child.once('error', gone)
  child.once('exit', gone)
  child.once('message', ({ report, failed }: { report?: Report; failed?: string }) => {
    if (report) resolve(report)
    else reject(new NoLab(`Lighthouse could not look at the page: ${(failed ?? '').slice(0, 200)}`))
  })
  child.send(task)
  return promise
}

const inWords: Record<string, string> = {
  NO_FCP: 'The page showed nothing.',
  PAGE_HUNG: 'The page hung.',
  NOT_HTML: 'The page is no HTML.',
  ERRORED_DOCUMENT_REQUEST: 'The page answers with an error.',
  CHROME_INTERSTITIAL_ERROR: 'The page could not be loaded.',
  FAILED_DOCUMENT_REQUEST: 'The page could not be loaded.',
  INSECURE_DOCUMENT_REQUEST: 'The page’s certificate is not in order.',
  PROTOCOL_TIMEOUT: 'The page kept the browser from answering.',
}

function judged(report: Report, way: WayOut, url: string): Report {
  const refusal = way.refusal(URL.parse(url)?.host ?? '')
  if (report.problem !== null && refusal) throw refusal
  if (report.problem !== null) throw new NoLab(inWords[report.problem] ?? `Lighthouse says ${report.problem.slice(0, 60)}.`)
  return report
}
