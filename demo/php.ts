// PHP for one site: a few instances over its folder, and the queue in front of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InstanceOptions, loadPhpWasm, type PhpRequest, type PhpResponse, type Slot } from './php-wasm.ts'

export interface PhpOptions extends InstanceOptions {
  /** Folder made by `ensureRuntime`. */
  runtime: string
  /** WordPress calls itself (cron, loopback tests), so one is not enough. */
  instances: number
}

/** Two ways to use PHP, both of which wait for an idle instance. */
export interface Php {
  request: (request: PhpRequest) => Promise<PhpResponse>
  /** Runs a script against the site's files; returns what it printed, throws what PHP complained about. */
  run: (code: string, env?: Record<string, string>) => Promise<string>
}

export async function startPhp(options: PhpOptions): Promise<Php> {
  const startInstance = await loadPhpWasm(options.runtime)
  const slots: Slot[] = []
  for (let id = 1; id <= options.instances; id++) slots.push(await startInstance(options, id))
  return queueInFrontOf(slots)
}

/** An instance that waits for the network would answer a second request with an error, so each gets one at a time. */
function queueInFrontOf(slots: Slot[]): Php {
  const idle = [...slots]
  const waiting: ((slot: Slot) => void)[] = []
  const use = async <T>(work: (slot: Slot) => Promise<T>): Promise<T> => {
    const slot = idle.shift() ?? (await new Promise<Slot>((resolve) => waiting.push(resolve)))
    try {
      return await work(slot)
    } finally {
      const next = waiting.shift()
      if (next) next(slot)
      // The one that worked last is asked first: it has compiled the most.
      else idle.unshift(slot)
    }
  }
  return {
    request: (request) => use((slot) => slot.handler.request(request)),
    run: (code, env = {}) => use(async (slot) => printed(await slot.php.run({ code, env }))),
  }
}

function printed(response: PhpResponse): string {
  if (response.errors.trim() !== '') throw new Error(`PHP said: ${response.errors.trim()} ${response.text}`)
  return response.text
}

/** One of the scripts in demo/php/. */
export const phpScript = (name: string): string => readFileSync(join(import.meta.dirname, 'php', name), 'utf8')
