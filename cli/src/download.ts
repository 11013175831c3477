import { createWriteStream } from 'node:fs'
import { access, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure, misused } from './failure.ts'
import { progressLine } from './follow.ts'
import type { Terminal } from './terminal.ts'
import { bytes, duration } from './text.ts'

/** Tries in a row that bring nothing. */
const TRIES = 5
const PAUSE_MS = 250

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

/** Refuses before anything is asked of the service. */
export async function checkTarget(terminal: Terminal, output: string | undefined, force: boolean): Promise<void> {
  if (output === '-' && terminal.watched)
    throw misused('A file of bytes is not for a terminal.', ['Name a file with --output, or send it to another program.'])
  if (output && output !== '-' && !force && (await exists(output)))
    throw misused(`${output} is there already.`, ['Give --force to replace it.'])
}

/** Asks for a file, or for what comes after its first bytes, as long as it is the one with this ETag. */
export type Fetch = (rest?: { from: number; etag: string }) => Promise<Response>
export interface Saving {
  output: string | undefined
  force: boolean
  signal: AbortSignal
}

/** Saves a file as named, or where the service suggests; one that breaks off is gone on with. It stands there whole or not at all. Gives the name. */
export async function save(terminal: Terminal, fetch: Fetch, { output, force, signal }: Saving): Promise<string> {
  const line = progressLine(terminal)
  // What is made first, as a PDF is, takes a while before its first byte.
  if (terminal.live) line.say('Waiting for the file …')
  const answer = await fetch().finally(line.clear)
  const file = output ?? suggested(answer)
  if (!output) await checkTarget(terminal, file, force)
  if (file === '-') return copy(terminal, { answer, fetch, signal }, toStdout()).then(() => file)
  const part = `${file}.part`
  try {
    await copy(terminal, { answer, fetch, signal }, createWriteStream(part, { mode: 0o600 }))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    if (signal.aborted) throw new Failure('Stopped. Nothing was kept.', 130)
    if (error instanceof Failure) throw error
    throw new Failure(`The download broke off: ${error instanceof Error ? error.message : error}.`, 1, [
      'Nothing was kept. Run the command again.',
    ])
  }
  return file
}

/** Only the last part of the name, so that a service cannot choose the folder. */
function suggested(answer: Response): string {
  const named = /filename="?([^";]+)"?/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  const name = basename((named ?? '').replaceAll('\\', '/'))
    .replaceAll(/[^\w.@-]/g, '_')
    .replace(/^[.-]+/, '')
  if (!name) throw misused('The service names no file.', ['Give one with --output FILE.'])
  return name
}

const toStdout = () => new Writable({ write: (chunk, _, done) => void process.stdout.write(chunk, done) })

/** The first answer to a download, and how the rest of it is asked for. */
interface Begun {
  answer: Response
  fetch: Fetch
  signal: AbortSignal
}

async function copy(terminal: Terminal, { answer, fetch, signal }: Begun, target: Writable): Promise<void> {
  const line = progressLine(terminal)
  const total = Number(answer.headers.get('content-length') ?? 0)
  const started = terminal.now().getTime()
  let done = 0
  const count = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      done += chunk.length
      line.say(words(done, total, (terminal.now().getTime() - started) / 1000))
      yield chunk
    }
  }
  try {
    await pipeline(whole(answer, total, fetch, signal), count, target, { signal })
  } finally {
    line.clear()
  }
}

/** The bytes of a file to its end. Where the connection breaks off, the rest is asked for, as long as tries bring something. */
async function* whole(answer: Response, total: number, fetch: Fetch, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  const etag = answer.headers.get('accept-ranges') === 'bytes' && total > 0 ? answer.headers.get('etag') : null
  let done = 0
  let fruitless = 0
  let ask = async () => answer
  for (;;) {
    const before = done
    const broken = yield* chunksOf(ask, (bytes) => {
      done += bytes
    })
    if (broken === undefined && (total === 0 || done === total)) return
    fruitless = done > before ? 0 : fruitless + 1
    const isFinal = broken instanceof Failure && broken.exit !== 1
    if (etag === null || isFinal || fruitless > TRIES || done >= total || signal.aborted)
      throw broken ?? new Failure(`The download broke off after ${bytes(done)} of ${bytes(total)}.`, 1)
    await pause(PAUSE_MS * 2 ** fruitless, undefined, { signal })
    ask = () => restOf(fetch, done, etag)
  }
}

async function restOf(fetch: Fetch, from: number, etag: string): Promise<Response> {
  const answer = await fetch({ from, etag })
  if (answer.status === 206) return answer
  await answer.body?.cancel()
  throw new Failure('The file is another one by now.', 5, ['Run the command again.'])
}

/** Answers what broke it off, if anything did. */
async function* chunksOf(ask: () => Promise<Response>, count: (bytes: number) => void): AsyncGenerator<Uint8Array, unknown, undefined> {
  try {
    const { body } = await ask()
    if (!body) return new Failure('The answer was empty.', 1)
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      count(chunk.length)
      yield chunk
    }
    return undefined
  } catch (error) {
    return error
  }
}

function words(done: number, total: number, seconds: number): string {
  const speed = seconds > 0.5 ? `  ${bytes(done / seconds)}/s` : ''
  if (total === 0) return `${bytes(done)}${speed}`
  const left = seconds > 1 ? `  about ${duration(((total - done) / done) * seconds)} left` : ''
  return `${String(Math.floor((done / total) * 100)).padStart(3)} %  ${bytes(done)} of ${bytes(total)}${speed}${left}`
}
