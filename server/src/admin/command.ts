import type { MasterKey } from '../platform/master-key.ts'
import type { World } from '../world.ts'

/** What a command answers: JSON for programs and the same for people. */
export interface Answer {
  json: unknown
  text: string
  /** True: it was done, and what came out is bad. */
  failed?: boolean
}

export interface Command {
  /** `owner create`. */
  name: string
  usage: string
  summary: string
  options: Record<string, { type: 'string' | 'boolean'; required?: boolean }>
  /** How many words follow the name. */
  words: number
  /** The master key to begin with on a machine that has none. */
  masterKey?(words: string[]): MasterKey
  /** It may be the first thing on a machine; any other finds an installation, or makes none. */
  begins?: true
  /** The operation whose answer it shows: where that is named in a refusal, this is typed. */
  shows?: string
  /** It puts jobs into the queue, for the service to do. */
  startsJobs?: true
  run(world: World, options: Record<string, string | undefined>, words: string[], dialogue?: Dialogue): Promise<Answer>
}

export interface Dialogue {
  /** Columns of what is answered; Infinity: nobody looks, and scripts may read it. */
  width: number
  /** Tells how far it is, a line at a time. */
  say(line: string): void
  /** The next line of standard input, where secrets are read; '' when there is none. */
  line(): Promise<string>
  /** The whole of standard input, as far as this many bytes. */
  all(most: number): Promise<string>
}
