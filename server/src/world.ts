import type { Config } from './config.ts'
import type { Deps } from './connector/ask.ts'
import type { Recurring } from './kernel/capability.ts'
import type { Caller, Face, Kernel } from './kernel/context.ts'
import type { Followed, JobKind, Queue } from './kernel/job.ts'
import type { AnyOperation } from './kernel/operation.ts'
import type { Changes } from './platform/changes.ts'
import type { GuardedFetch, NeverReached, OpenTunnel } from './platform/guarded-fetch.ts'
import type { InspectTls } from './platform/inspect-tls.ts'
import type { HeldMasterKey } from './platform/master-key.ts'
import type { Storage } from './platform/storage.ts'
import type { Fleet } from './sites/schema.ts'

/** The outside world as capabilities see it; built once in main.ts, or by a test. */
export interface World extends Kernel {
  config: Config
  queue: Queue
  /** Everything the service can do, by name. */
  operations: ReadonlyMap<string, AnyOperation>
  jobKinds: ReadonlyMap<string, JobKind<World>>
  /** What is followed as a job is, by the beginning of its id. */
  followed: ReadonlyMap<string, Followed<Context>>
  /** What is done for each site again and again. */
  recurring: readonly Recurring<World>[]
  masterKey: HeldMasterKey
  storage: Storage
  fleet: Fleet
  /** What has changed of late, in whatever process. */
  changes: Changes
  /** What talking to a site needs: the guarded client and the clock. */
  wire: Deps
  /** The guarded client of whoever watches sites, with turns of its own: what others ask of a server holds no look up. */
  watch: GuardedFetch
  /** Looks at the certificate and the encryption of an address. */
  inspectTls: InspectTls
  /** The way out for a browser that loads whole pages. */
  tunnel: OpenTunnel
  neverReached: NeverReached
  /** Aborted when this process is about to end: whoever waits, stops waiting. */
  stopping: AbortSignal
}

/** This world in the name of one workspace: what a job or a duty works in. */
export interface Here extends World {
  workspaceId: string
}

/** What every handler, service and store function takes as its first argument. `db` is the transaction of a write. */
export interface Context extends Here {
  caller: Caller
  face: Face
  requestId: string
  /** The sites this call is about; they are read anew afterwards. */
  touched: Set<string>
  signal?: AbortSignal | undefined
  /** Of each item or row of what is read, the fields that are shown; absent: all of them. */
  shows?: readonly string[] | undefined
}

/** What a query takes as its first argument: a connection, or the transaction of a write, and whose rows it is about. */
export type Db = Pick<Context, 'db' | 'workspaceId'>
/** The same of a write that says when. */
export type DatedDb = Db & Pick<Context, 'now'>
