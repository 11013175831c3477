// A request that is wrong in one place, and what it is made from.
import type { Entry, JsonSchema } from '../src/projections/manifest.ts'
import type { FuzzRequest, Random } from './fuzz-requests.ts'
import type { Ids } from './wrong-forms.ts'

export interface Attempt {
  operation: string
  field: string
  /** What is wrong with it, in words. */
  how: string
  request: Omit<FuzzRequest, 'body'> & { body: string | undefined }
  /** The published schema lets it through, so it may be answered; only reads are tried like this. */
  allowed: boolean
  /** What the refusal has to name. */
  named: string | undefined
}

/** One operation at one of its addresses, and the field that is looked at. */
export interface Case {
  random: Random
  entry: Entry
  entries: readonly Entry[]
  ids: Ids
  /** Everything the operation needs. */
  input: Record<string, unknown>
  field: string
  schema: JsonSchema
  value: unknown
  /** Whether the published schema takes such an input. */
  takes(input: unknown): boolean
}

/** What is to be sent, and what may come of it; undefined where a case does not fit. */
export type Wrong = { request: Attempt['request']; allowed?: boolean; named?: string | false } | undefined
