// How the attacks reach a site: as a stranger, and past every cache.
import { randomBytes } from 'node:crypto'
import { type Page, visit } from '../sites/visit.ts'
import type { World } from '../world.ts'

/** Where a site's pages are; addresses end without a slash. */
export interface Place {
  home: string
  url: string
  /** Path of the folder of uploads, with slashes around. */
  uploads: string
  version: string | null
}

export interface Visitor extends Place {
  get(address: string): Promise<Page>
  post(address: string, type: string, body: string): Promise<Page>
}

export const visitorOf = ({ wire }: Pick<World, 'wire'>, place: Place): Visitor => ({
  ...place,
  get: (address) => visit(wire.fetch, address, { query: { 'svc-connector-look': randomBytes(6).toString('hex') } }),
  post: (address, type, body) => visit(wire.fetch, address, { headers: { 'content-type': type }, body }),
})
