import { operations } from '../capabilities.ts'
import type { Command } from './command.ts'

const svc = ({ name }: { name: string }) => `svc ${name.replace('.', ' ').replaceAll('_', '-')}`

/** What the service calls by the names of its tools and routes, as the operator types it: a command of admin, or of svc where there is none. */
export function ownWords(commands: readonly Command[], text: string): string {
  const typed = new Map(
    operations.flatMap((operation) =>
      operation.tool ? [[operation.tool, commands.find(({ shows }) => shows === operation.name)?.usage ?? svc(operation)] as const] : [],
    ),
  )
  return text.replaceAll(/\b([a-z]+(?:_[a-z]+)+)(?: \((?:GET|POST|DELETE) [^)]*\))?/g, (words, tool: string) => typed.get(tool) ?? words)
}
