import { createWriteStream } from 'node:fs'
import { access, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure, misused } from './failure.js'
import { progressLine } from './follow.js'
                                             
import { bytes, duration } from './text.js'

const exists = (file        ) =>
  access(file).then(
    () => true,
    () => false,
  )

/** Refuses before anything is asked of the service. */
export async function checkTarget(terminal          , output                    , force         )                {
  if (output === '-' && terminal.watched)
    throw misused('A file of bytes is not for a terminal.', ['Name a file with --output, or send it to another program.'])
  if (output && output !== '-' && !force && (await exists(output)))
    throw misused(`${output} is there already.`, ['Give --force to replace it.'])
}

/** Saves an answer under `file`, or where the service suggests. It stands there whole or not at all. Gives the name. */
export async function save(
  terminal          ,
  answer          ,
  output                    ,
  force         ,
  signal             ,
)                  {
  const file = output ?? suggested(answer)
  if (!output) await checkTarget(terminal, file, force)
  if (file === '-') return copy(answer, terminal, toStdout(), signal).then(() => file)
  const part = `${file}.part`
  try {
    await copy(answer, terminal, createWriteStream(part, { mode: 0o600 }), signal)
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
function suggested(answer          )         {
  const named = /filename="?([^";]+)"?/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  const name = basename((named ?? '').replaceAll('\\', '/'))
    .replaceAll(/[^\w.@-]/g, '_')
    .replace(/^[.-]+/, '')
  if (!name) throw misused('The service names no file.', ['Give one with --output FILE.'])
  return name
}

const toStdout = () => new Writable({ write: (chunk, _, done) => void process.stdout.write(chunk, done) })

async function copy(answer          , terminal          , target          , signal             )                {
  if (!answer.body) throw new Failure('The answer was empty.', 1)
  const line = progressLine(terminal)
  const total = Number(answer.headers.get('content-length') ?? 0)
  const started = terminal.now().getTime()
  let done = 0
  const count = async function* (chunks                           ) {
    for await (const chunk of chunks) {
      done += chunk.length
      line.say(words(done, total, (terminal.now().getTime() - started) / 1000))
      yield chunk
    }
  }
  try {
    await pipeline(answer.body                                        , count, target, { signal })
    if (total > 0 && done !== total) throw new Failure(`The download broke off after ${bytes(done)} of ${bytes(total)}.`, 1)
  } finally {
    line.clear()
  }
}

function words(done        , total        , seconds        )         {
  const speed = seconds > 0.5 ? `  ${bytes(done / seconds)}/s` : ''
  if (total === 0) return `${bytes(done)}${speed}`
  const left = seconds > 1 ? `  about ${duration(((total - done) / done) * seconds)} left` : ''
  return `${String(Math.floor((done / total) * 100)).padStart(3)} %  ${bytes(done)} of ${bytes(total)}${speed}${left}`
}
