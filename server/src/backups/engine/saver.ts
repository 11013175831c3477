import type { Packer } from './packer.ts'

/** `done`, `total` count `unit`; `total` 0 is not known yet; `bytes` were looked at so far. */
export type PullReport = { phase: 'list' | 'files' | 'database'; done: number; total: number; unit: 'files' | 'rows'; bytes: number }
export type Report = (report: PullReport) => void | Promise<void>
export type SaveState<State> = (state: State) => void | Promise<void>

const REPORT_MS = 1_000
const SAVE_MIN_MS = 300
const SAVE_MAX_MS = 5_000

/** Speaks at most once a second. */
export class Reporter {
  readonly #report: Report
  readonly #now: () => Date
  #last = Number.NEGATIVE_INFINITY

  constructor(report: Report, now: () => Date) {
    this.#report = report
    this.#now = now
  }

  async say(report: PullReport, always = false): Promise<void> {
    const now = this.#now().getTime()
    if (!always && now - this.#last < REPORT_MS) return
    this.#last = now
    await this.#report(report)
  }
}

/** `bytes`: where it begins. */
export type Saving<State> = { save: SaveState<State>; now: () => Date; everyBytes: number; bytes: number }

/** Saves the resume state in the background, each time after everything it names has become durable. */
export class Saver<State> {
  readonly #packer: Pick<Packer, 'flush'>
  readonly #save: SaveState<State>
  readonly #now: () => Date
  readonly #everyBytes: number
  #lastTime: number
  #lastBytes: number
  #running: Promise<void> | undefined
  #failure: { error: unknown } | undefined

  constructor(packer: Pick<Packer, 'flush'>, { save, now, everyBytes, bytes }: Saving<State>) {
    this.#packer = packer
    this.#save = save
    this.#now = now
    this.#everyBytes = everyBytes
    this.#lastTime = now().getTime()
    this.#lastBytes = bytes
  }

  /** Whether a state should be saved, `bytes` after the beginning. */
  due(bytes: number): boolean {
    if (this.#failure) throw this.#failure.error
    const waited = this.#now().getTime() - this.#lastTime
    const enough = bytes - this.#lastBytes >= this.#everyBytes ? waited >= SAVE_MIN_MS : waited >= SAVE_MAX_MS
    return enough && !this.#running
  }

  start(state: State, bytes: number): void {
    this.#lastTime = this.#now().getTime()
    this.#lastBytes = bytes
    this.#running = this.#run(state)
      .catch((error) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#running = undefined
      })
  }

  async settle(): Promise<void> {
    await this.#running
    if (this.#failure) throw this.#failure.error
  }

  /** Waits for a save that is under way, whatever becomes of it: for callers that have failed already. */
  async stop(): Promise<void> {
    await this.#running
  }

  async #run(state: State): Promise<void> {
    await this.#packer.flush()
    await this.#save(state)
  }
}

/** After how many bytes to save: 2 % of all, between 1 and 16 MiB, because a killed run may lose 5 % and what is in flight counts too. */
export const saveEvery = (total: number) => Math.min(16, Math.max(1, (total * 0.02) / 1024 ** 2)) * 1024 ** 2
