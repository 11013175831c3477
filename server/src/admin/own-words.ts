import { operations } from '../capabilities.ts'
import { svcName } from '../projections/command.ts'
import type { Command } from './command.ts'

/** What the service calls by the names of its tools and routes, as the operator types it: a command of admin, or of svc where there is none. */
export function ownWords(commands: readonly Command[], text: string): string {
  const typed = new Map(
    operations.flatMap((operation) =>
      operation.tool
        ? [[operation.tool, commands.find(({ shows }) => shows === operation.name)?.usage ?? svcName(operation.name)] as const]
        : [],
    ),
  )
  return text.replaceAll(/\b([a-z]+(?:_[a-z]+)+)(?: \((?:GET|POST|DELETE) [^)]*\))?/g, (words, tool: string) => typed.get(tool) ?? words)
}
