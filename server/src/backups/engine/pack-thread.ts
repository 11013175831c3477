// Threads that pack. To start one takes as long as a small backup does, so one whose packer is closed waits a little for the next.
import { Worker } from 'node:worker_threads'
import type { WorkspaceKeys } from './blob-id.ts'
import type { FromWorker, ToWorker } from './pack-worker.ts'

const mostIdle = 2
const idleMs = 10_000
const idle = new Map<Worker, NodeJS.Timeout>()

/** The thread of one packer, for as long as that is open. */
export class PackThread {
  readonly #worker: Worker
  readonly #hear: (message: FromWorker) => void
  readonly #fail: (cause: unknown) => void
  readonly #over = Promise.withResolvers<void>()
  #state: 'open' | 'ending' | 'over' = 'open'

  /** `fail` hears that the thread is no more. */
  constructor(keys: WorkspaceKeys, hear: (message: FromWorker) => void, fail: (cause: unknown) => void) {
    this.#hear = hear
    this.#fail = fail
    this.#worker = waiting() ?? start()
    this.#worker.on('message', this.#heard).on('error', this.#failed).on('exit', this.#stopped)
    this.post({ kind: 'begin', keys })
  }

  post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    if (this.#state !== 'over') this.#worker.postMessage(message, transfer)
  }

  /** Resolves when it knows nothing of its packer any more. Safe to call twice. */
  async end(): Promise<void> {
    // Never terminate(): in the middle of zstdCompressSync() Node aborts the whole process ("close before init").
    if (this.#state === 'open') {
      this.post({ kind: 'end' })
      this.#state = 'ending'
    }
    await this.#over.promise
  }

  readonly #heard = (message: FromWorker) => {
    if (message.kind !== 'ended') return this.#hear(message)
    this.#leave()
    letWait(this.#worker)
  }
  readonly #failed = (error: unknown) => this.#fail(error)
  readonly #stopped = () => {
    this.#leave()
    this.#fail(new Error('The packing worker stopped.'))
  }

  #leave(): void {
    this.#state = 'over'
    this.#worker.off('message', this.#heard).off('error', this.#failed).off('exit', this.#stopped)
    this.#over.resolve()
  }
}

function start(): Worker {
  const worker = new Worker(new URL('./pack-worker.ts', import.meta.url), {
    name: 'packer',
    resourceLimits: { maxYoungGenerationSizeMb: 3 },
  })
  // Whoever it packs for hears of it; while it waits nobody needs to.
  worker.on('error', () => undefined)
  return worker.on('exit', () => void take(worker))
}

/** Nobody else is given it. */
function take(worker: Worker): Worker {
  clearTimeout(idle.get(worker))
  idle.delete(worker)
  return worker
}

function waiting(): Worker | undefined {
  const [worker] = idle.keys()
  if (!worker) return
  worker.ref()
  return take(worker)
}

function letWait(worker: Worker): void {
  const stop = () => take(worker).postMessage({ kind: 'stop' } satisfies ToWorker)
  worker.unref()
  if (idle.size < mostIdle) idle.set(worker, setTimeout(stop, idleMs).unref())
  else stop()
}
