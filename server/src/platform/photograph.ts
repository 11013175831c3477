// Photographs a page as a stranger's browser shows it once it has come to rest: in a time that is made up, so that twice is alike.
import { type Chromium, type Trouble, withChromium, withFolder } from './chromium.ts'
import { DevTools, type DevToolsEvent } from './devtools.ts'
import { type Answer, NoPicture, PageRequests } from './page-requests.ts'

export interface Sitting {
  browser: Chromium
  url: string
  /** What the clock of the page says, in milliseconds. */
  at: number
  /** How many times it is opened anew and photographed. */
  times: number
  answer: Answer
  /** Aborted: nobody waits for it any more. */
  signal: AbortSignal
}
export interface Photo {
  /** WebP, of at most 100 kB. */
  picture: Buffer
  /** How much is drawn in each square of 16 pixels, row by row, 80 in a row. */
  drawn: Buffer
}

export const columns = 80
const side = 16
/** Taller than a screen, so that there is something to see below a large picture. */
const view = { width: columns * side, height: 1200 }
/** How long scripts of the page have, by its own clock. */
const restMs = 4_000
const mostBytes = 100_000
const finer = [
  { quality: 60, scale: 1 },
  { quality: 30, scale: 1 },
  { quality: 40, scale: 0.5 },
  { quality: 10, scale: 0.5 },
]

const words = ['--remote-debugging-pipe', '--hide-scrollbars', '--mute-audio', '--disable-quic', '--block-new-web-contents', 'about:blank']
const why: Record<Trouble, string> = {
  'not started': 'The browser could not be started (SERVICE_CHROMIUM).',
  'ended badly': 'The browser ended by itself (SERVICE_CHROMIUM, SERVICE_CHROMIUM_SANDBOX).',
  'too long': 'The page did not come to rest in time.',
  'too much memory': 'The page took too much memory.',
}

/** Throws NoPicture. */
export const photograph = (sitting: Sitting): Promise<Photo[]> =>
  withFolder({}, (folder) =>
    withChromium(sitting.browser, { folder, words, piped: true }, async ({ child, trouble }) => {
      const tools = new DevTools(child)
      const requests = new PageRequests(tools, sitting.url, sitting.answer)
      const stopped = trouble.then((how) => Promise.reject(new NoPicture(why[how ?? 'ended badly'])))
      const { promise: left, reject: leave } = Promise.withResolvers<never>()
      const give = () => leave(sitting.signal.reason)
      sitting.signal.addEventListener('abort', give, { once: true })
      try {
        sitting.signal.throwIfAborted()
        const taken = take(tools, requests, sitting).catch((error: unknown) => late(error, stopped))
        return await Promise.race([taken, stopped, left, requests.refused])
      } finally {
        requests.close()
        sitting.signal.removeEventListener('abort', give)
        stopped.catch(() => undefined)
      }
    }),
  )

/** Of a browser that is gone, why it is. */
const late = async (error: unknown, stopped: Promise<never>): Promise<never> => {
  if (error instanceof NoPicture) throw error
  const moment = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new NoPicture('The browser could not show the page.')), 1_000).unref()
  })
  return Promise.race([stopped, moment])
}

async function take(tools: DevTools, requests: PageRequests, sitting: Sitting): Promise<Photo[]> {
  await tools.send('Browser.setDownloadBehavior', { behavior: 'deny' })
  tools.on(({ method, sessionId }: DevToolsEvent) => {
    if (method === 'Page.javascriptDialogOpening')
      void tools.send('Page.handleJavaScriptDialog', { accept: false }, sessionId).catch(() => undefined)
  })
  const photos: Photo[] = []
  for (let time = 0; time < sitting.times; time++) photos.push(await once(tools, requests, sitting))
  return photos
}

/** In a context of its own: nothing that the page keeps is there the next time. */
async function once(tools: DevTools, requests: PageRequests, { url, at }: Sitting): Promise<Photo> {
  const { browserContextId } = await tools.send<{ browserContextId: string }>('Target.createBrowserContext')
  const { session, target } = await openPage(tools, browserContextId)
  const send = <Answer = unknown>(method: string, params: object = {}) => tools.send<Answer>(method, params, session)
  await send('Page.enable')
  await requests.serve(session, target)
  await send('Emulation.setDeviceMetricsOverride', { ...view, deviceScaleFactor: 1, mobile: false })
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] })
  await send('Page.addScriptToEvaluateOnNewDocument', { source: certain(at) })
  const { errorText } = await send<{ errorText?: string }>('Page.navigate', { url })
  if (errorText !== undefined) throw new NoPicture('The page could not be opened.')
  await atRest(tools, session)
  await send('Runtime.evaluate', { expression: settled, returnByValue: true })
  const picture = await develop(send)
  await tools.send('Target.disposeBrowserContext', { browserContextId })
  return { picture: picture.kept, drawn: await drawnIn(tools, picture.finest) }
}

type Send = <Answer = unknown>(method: string, params?: object) => Promise<Answer>

async function openPage(tools: DevTools, browserContextId?: string): Promise<{ session: string; target: string }> {
  const { targetId } = await tools.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank', browserContextId })
  const { sessionId } = await tools.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
  return { session: sessionId, target: targetId }
}

/** Its scripts have had their time, in which nothing else was waited for than what they had asked for. */
async function atRest(tools: DevTools, session: string): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  tools.on(({ method, sessionId }) => {
    if (sessionId === session && method === 'Emulation.virtualTimeBudgetExpired') resolve()
  })
  const policy = { policy: 'pauseIfNetworkFetchesPending', budget: restMs, maxVirtualTimeTaskStarvationCount: 100_000 }
  await tools.send('Emulation.setVirtualTimePolicy', policy, session)
  await over
}

async function develop(send: Send): Promise<{ finest: string; kept: Buffer }> {
  let finest = ''
  for (const { quality, scale } of finer) {
    const how = { format: 'webp', quality, clip: { x: 0, y: 0, ...view, scale } }
    const { data } = await send<{ data: string }>('Page.captureScreenshot', how)
    finest ||= data
    const kept = Buffer.from(data, 'base64')
    if (kept.length <= mostBytes) return { finest, kept }
  }
  throw new NoPicture('The picture is too large.')
}

/** In an empty page, where nothing of the site runs. */
async function drawnIn(tools: DevTools, picture: string): Promise<Buffer> {
  const { session } = await openPage(tools)
  const expression = `(${measure})(${JSON.stringify(picture)}, ${side})`
  const how = { expression, awaitPromise: true, returnByValue: true }
  const { result } = await tools.send<{ result: { value?: unknown } }>('Runtime.evaluate', how, session)
  if (!Array.isArray(result.value)) throw new NoPicture('The picture could not be read.')
  return Buffer.from(result.value.map(Number))
}

/** Chance and the clock are the same each time; the clock goes on with the page's own time, by which some scripts move things. */
const certain = (at: number) => `(() => {
  let last = 1
  Math.random = () => (last = (last * 16807) % 2147483647) / 2147483647
  const now = () => ${Math.floor(at)} + Math.floor(performance.now())
  Date.now = now
  Date = new Proxy(Date, {
    construct: (of, given, as) => Reflect.construct(of, given.length === 0 ? [now()] : given, as),
    apply: () => new Date().toString(),
  })
})()`

/** What moves has arrived; what never arrives is where it began. */
const settled = `document.getAnimations().forEach((each) => { try { each.finish() } catch { each.cancel() } })`

/** How much the brightness of neighbouring points differs, for each square. */
const measure = `async (data, side) => {
  const image = await createImageBitmap(await (await fetch('data:image/webp;base64,' + data)).blob())
  const { width, height } = image
  const canvas = new OffscreenCanvas(width, height).getContext('2d')
  canvas.drawImage(image, 0, 0)
  const points = canvas.getImageData(0, 0, width, height).data
  const light = new Int16Array(width * height)
  for (let at = 0; at < light.length; at++) light[at] = (points[4 * at] * 2 + points[4 * at + 1] * 5 + points[4 * at + 2]) >> 3
  const columns = Math.floor(width / side), rows = Math.floor(height / side)
  const drawn = new Array(columns * rows).fill(0)
  const noise = (step) => step < 10 ? 0 : step
  for (let y = 0; y < rows * side - 1; y++)
    for (let x = 0; x < width - 1; x++) {
      const at = y * width + x
      const step = noise(Math.abs(light[at + 1] - light[at])) + noise(Math.abs(light[at + width] - light[at]))
      drawn[Math.floor(y / side) * columns + Math.floor(x / side)] += step
    }
  return drawn.map((sum) => Math.min(255, Math.round(4 * sum / (side * side))))
}`
