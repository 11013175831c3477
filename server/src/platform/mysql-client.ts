// MySQL's or MariaDB's own client as a child process: it imports a dump as people do.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Readable as Source, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The server, or the client, would not. */
export class MysqlRefusal extends Error {
  override name = 'MysqlRefusal'
}

export interface MysqlClient {
  /** Runs what comes in, inside a database. */
  feed(database: string | null, statements: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>
  /** Each line of the answer, without its line feed; the bytes are valid during the call only. */
  ask(database: string | null, statement: string, line: (bytes: Uint8Array) => void, signal: AbortSignal): Promise<void>
}

const binaries = ['mariadb', 'mysql']
// Whoever was backed up wrote what is imported: no command of the client is understood, no file of this machine is read.
const safely = [
  '--batch',
  '--skip-column-names',
  '--quick',
  '--binary-mode',
  '--local-infile=0',
  '--no-auto-rehash',
  '--connect-timeout=10',
]
const mostComplained = 300

/** `dir` holds the password while the client is in use, readable by nobody else. */
export async function openMysqlClient(url: string, dir: string): Promise<MysqlClient> {
  const options = join(dir, 'client.cnf')
  await writeFile(options, optionsOf(new URL(url)), { mode: 0o600 })
  const args = [`--defaults-file=${options}`, ...safely, '--default-character-set=utf8mb4', '--max-allowed-packet=1073741824']
  const inside = (database: string | null) => (database === null ? args : [...args, `--database=${database}`])
  return {
    async feed(database, statements, signal) {
      const child = await start(inside(database), signal)
      child.stdout.resume()
      // When it stops reading, what it complained about says more than the broken pipe.
      const [fed, ended] = await Promise.allSettled([pipeline(Source.from(statements), child.stdin, { signal }), over(child)])
      if (ended.status === 'rejected') throw signal.aborted ? signal.reason : ended.reason
      if (fed.status === 'rejected') throw fed.reason
    },
    async ask(database, statement, line, signal) {
      const child = await start([...inside(database), '--execute', statement], signal)
      child.stdin.end()
      const [, ended] = await Promise.allSettled([eachLine(child.stdout, line), over(child)])
      if (ended.status === 'rejected') throw signal.aborted ? signal.reason : ended.reason
    },
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** Whichever of the two is there. It learns nothing of our environment. */
async function start(args: string[], signal: AbortSignal): Promise<Child> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8' }
  for (const binary of binaries) {
    const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'pipe'], env, signal, killSignal: 'SIGKILL' })
    const began = await Promise.race([once(child, 'spawn'), once(child, 'error')]).then(
      () => child.pid !== undefined,
      () => false,
    )
    if (began) return child
  }
  signal.throwIfAborted()
  throw new MysqlRefusal('there is neither mariadb nor mysql among the programs of this machine')
}

async function over(child: Child): Promise<void> {
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(0, 4 * mostComplained)
  })
  const [code] = await once(child, 'close')
  if (code !== 0)
    throw new MysqlRefusal(
      complaints
        .replace(/\p{C}+/gu, ' ')
        .trim()
        .slice(0, mostComplained) || `the client ended with ${code}`,
    )
}

async function eachLine(from: Readable, line: (bytes: Uint8Array) => void): Promise<void> {
  let rest: Buffer[] = []
  for await (const piece of from as AsyncIterable<Buffer>) {
    let at = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, at)) {
      line(rest.length > 0 ? Buffer.concat([...rest, piece.subarray(at, end)]) : piece.subarray(at, end))
      rest = []
      at = end + 1
    }
    if (at < piece.length) rest.push(piece.subarray(at))
  }
}

function optionsOf({ hostname, port, username, password, searchParams }: URL): string {
  const value = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  const socket = searchParams.get('socket')
  const where = socket === null ? [`host=${value(hostname)}`, `port=${port || '3306'}`, 'protocol=tcp'] : [`socket=${value(socket)}`]
  const who = [`user=${value(decodeURIComponent(username))}`, ...(password ? [`password=${value(decodeURIComponent(password))}`] : [])]
  return `${['[client]', ...where, ...who].join('\n')}\n`
}
