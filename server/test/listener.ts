import assert from 'node:assert/strict'
import type { TestWorld } from './world.ts'

interface Heard {
  id: string
  event: string
  data: { kind: string; id: string | null; site_id: string | null }
}

interface How {
  path?: string | undefined
  /** A token. */
  as?: string | undefined
  cookie?: string | undefined
  /** The place to go on from. */
  after?: string | undefined
}

/** Who follows the changes, as a browser does. */
export async function aListener(here: Pick<TestWorld, 'url'>, { path = '/events', as, cookie, after }: How) {
  const hangUp = new AbortController()
  const headers = { ...(cookie ? { cookie } : { authorization: `Bearer ${as}` }), ...(after !== undefined && { 'last-event-id': after }) }
  const answer = await fetch(`${here.url}/api/v1${path}`, { headers, signal: hangUp.signal })
  assert.equal(answer.status, 200, await (answer.ok ? '' : answer.text()))
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
  const heard: Heard[] = []
  let text = ''
  const parts = answer.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  /** Reads on until it says so; undefined when the stream has ended. */
  const until = async (isThere: (each: Heard) => boolean): Promise<Heard | undefined> => {
    for (let at = 0; ; ) {
      for (; at < heard.length; at++) if (isThere(heard[at] as Heard)) return heard[at]
      const part = await parts?.next()
      if (!part || part.done) return undefined
      text += part.value
      const whole = text.split('\n\n')
      text = whole.pop() ?? ''
      for (const each of whole) {
        const of = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(each)?.[1] ?? ''
        if (of('data') !== '') heard.push({ id: of('id'), event: of('event'), data: JSON.parse(of('data')) })
      }
    }
  }
  return { heard, until, forget: () => heard.splice(0), close: () => hangUp.abort() }
}
