import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { asProblem, Problem, problems } from '../kernel/problem.ts'
import { createLog } from '../platform/log.ts'
import { openDatabase } from '../platform/open-database.ts'
import { prepareDatabase } from '../service.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { openCommandWorld } from './world.ts'

const help = `npm run -s admin -- COMMAND, beside a running service or without one. Every command takes --json.

${commands.map(({ usage, summary }) => `  ${usage}\n      ${summary}`).join('\n')}
`

/** What an operator does on the machine itself. Standard output carries the answer and nothing else. */
export async function admin(argv: string[]): Promise<void> {
  if (argv.length === 0 || argv[0] === 'help' || argv.includes('--help')) {
    process.stdout.write(help)
    return
  }
  const json = argv.includes('--json')
  try {
    const { command, options, words } = read(argv.filter((argument) => argument !== '--json'))
    const answer = await perform(command, options, words)
    process.stdout.write(`${json ? JSON.stringify(answer.json) : answer.text}\n`)
    if (answer.failed) process.exitCode = 1
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    complain(error)
  }
}

async function perform(command: Command, options: Record<string, string | undefined>, words: string[]) {
  const config = readConfig()
  const log = createLog({ level: 'error', to: 'stderr' })
  const offered = command.masterKey?.(words)
  const database = await openDatabase({ url: config.databaseUrl, dataDir: config.dataDir, role: 'command', log })
  try {
    await prepareDatabase({ address: database.address, log })
    const { world, close } = await openCommandWorld(config, log, database.address, offered)
    try {
      return await command.run(world, options, words, (line) => void process.stderr.write(`${line}\n`))
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

function read(argv: string[]): { command: Command; options: Record<string, string | undefined>; words: string[] } {
  const command = commands.find(({ name }) => name === argv.slice(0, 2).join(' '))
  if (!command) throw new Problem('invalid_payload', `There is no command "${argv.slice(0, 2).join(' ')}".\n\n${help}`)
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
    throw new Problem('invalid_payload', `${(error as Error).message}\nusage: ${command.usage}`)
  }
}

function complain(problem: Problem): void {
  const fields = (problem.errors ?? []).map(({ path, message }) => `\n  ${path}: ${message}`).join('')
  const said = problem.siteSaid ? `\n  The site said (untrusted): ${problem.siteSaid.text}` : ''
  process.stderr.write(`${problem.message}${said}${fields}\n`)
  process.exitCode = problems[problem.code].exit
}
