import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { asProblem, Problem, problems } from '../kernel/problem.ts'
import { createLog } from '../platform/log.ts'
import { hasInstallation, openDatabase } from '../platform/open-database.ts'
import { Refusal } from '../platform/refusal.ts'
import { prepareDatabase } from '../service.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { wrap } from './layout.ts'
import { ownWords } from './own-words.ts'
import { openCommandWorld } from './world.ts'

function help(width: number): string {
  const head = 'npm run -s admin -- COMMAND, beside a running service or without one. Every command takes --json.'
  const lines = commands.flatMap(({ usage, summary }) => [
    ...wrap(usage, width - 2).map((line) => `  ${line}`),
    ...wrap(summary, width - 6).map((line) => `      ${line}`),
  ])
  return `${[...wrap(head, width), '', ...lines].join('\n')}\n`
}

/** What it is run in: a process, or a test. */
export interface Terminal {
  /** Absent: that of the process. */
  env?: NodeJS.ProcessEnv
  out(text: string): void
  err(text: string): void
  /** Columns of `out`; absent: nobody looks at it. */
  width?: number
  /** The same of `err`. */
  errWidth?: number
  /** Absent: the standard input of the process. */
  input?: NodeJS.ReadableStream
}
const nobodyLooks = Number.POSITIVE_INFINITY
const columnsOf = ({ isTTY, columns }: NodeJS.WriteStream) => (isTTY ? columns || 80 : nobodyLooks)
const ofProcess: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  width: columnsOf(process.stdout),
  errWidth: columnsOf(process.stderr),
}

/** What an operator does on the machine itself. Standard output carries the answer and nothing else. Answers the exit code. */
export async function admin(argv: string[], terminal = ofProcess): Promise<number> {
  const { width = nobodyLooks, errWidth = nobodyLooks } = terminal
  if (argv.length === 0 || argv[0] === 'help' || argv.includes('--help')) {
    terminal.out(help(width))
    return 0
  }
  const json = argv.includes('--json')
  try {
    const words = argv.filter((argument) => argument !== '--json')
    const answer = await perform(read(words, errWidth), terminal)
    terminal.out(`${json ? JSON.stringify(answer.json) : answer.text}\n`)
    return answer.failed ? 1 : 0
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    terminal.err(inWords(error))
    return problems[error.code].exit
  }
}

interface Asked {
  command: Command
  options: Record<string, string | undefined>
  words: string[]
}

async function perform({ command, options, words }: Asked, { env, err, input = process.stdin, width = nobodyLooks }: Terminal) {
  const config = readConfig(env)
  const log = createLog({ level: 'error', to: 'stderr' })
  if (!command.begins && !hasInstallation(config)) throw new Refusal(nothingAt(config.dataDir, command))
  const offered = command.masterKey?.(words)
  const database = await openDatabase({ url: config.databaseUrl, dataDir: config.dataDir, role: 'command', log })
  try {
    await prepareDatabase({ address: database.address, log })
    const { world, close } = await openCommandWorld(config, log, database.address, { offered, startsJobs: command.startsJobs })
    try {
      return await command.run(world, options, words, {
        width,
        say: (line) => err(`${line}\n`),
        line: linesOf(input),
        all: (most) => wholeOf(input, most),
      })
    } catch (error) {
      if (!(error instanceof Problem)) log.error({ err: error }, 'the command failed')
      throw asProblem(error)
    } finally {
      await close()
    }
  } finally {
    await database.close()
  }
}

/** Run from another folder, a command would make a second, empty installation, and its answer would say that all is lost. */
const nothingAt = (dataDir: string, { name }: Command) =>
  `${name} found no installation in ${dataDir}, and made none: set SERVICE_DATA_DIR to the data directory of the service, or run this in the folder in which it was started. ${begin} begin a new one.`
const begin = commands.flatMap(({ name, begins }) => (begins ? name : [])).join(' and ')

/** Nothing is read before the first line is asked for. */
function linesOf(input: NodeJS.ReadableStream): () => Promise<string> {
  let lines: AsyncIterator<string> | undefined
  return async () => {
    lines ??= createInterface({ input })[Symbol.asyncIterator]()
    const { value, done } = await lines.next()
    return done ? '' : value
  }
}

/** What is beyond it is read and forgotten, so that whoever writes is not cut off. */
async function wholeOf(input: NodeJS.ReadableStream, most: number): Promise<string> {
  const kept: Buffer[] = []
  let size = 0
  for await (const piece of input) {
    const bytes = Buffer.from(piece)
    if (size < most) kept.push(bytes.subarray(0, most - size))
    size += bytes.length
  }
  return Buffer.concat(kept).toString('utf8')
}

function read(argv: string[], width: number): Asked {
  const command = commands.find(({ name }) => name === argv.slice(0, 2).join(' '))
  if (!command) throw new Problem('invalid_payload', `There is no command "${argv.slice(0, 2).join(' ')}".`, { next: `\n${help(width)}` })
  try {
    const { values, positionals } = parseArgs({ args: argv.slice(2), options: command.options, allowPositionals: command.words > 0 })
    const missing = Object.entries(command.options).filter(([name, { required }]) => required && values[name] === undefined)
    if (missing.length > 0 || positionals.length !== command.words)
      throw new TypeError(missing.length > 0 ? `--${missing[0]?.[0]} is missing.` : 'A word is missing or too many.')
    return {
      command,
      words: positionals,
      options: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    }
  } catch (error) {
    throw new Problem('invalid_payload', (error as Error).message, { next: `usage: ${command.usage}` })
  }
}

/** What standard error tells of a refusal: what it is, and what to do next. */
export function inWords(problem: Problem): string {
  const ours = (text: string) => ownWords(commands, text)
  const fields = (problem.errors ?? []).map(({ path, message }) => `\n  ${path}: ${ours(message)}`).join('')
  const said = problem.siteSaid ? `\n  The site said (untrusted): ${problem.siteSaid.text}` : ''
  return `${ours(problem.message)}${said}${fields}\n${ours(problem.next)}\n`
}
