import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { followMove, lookForMoves } from './follow-move.ts'
import { disconnect } from './goodbye-jobs.ts'
import { connect } from './jobs.ts'
import { createCode, getAccess, getCode, rotate, setAccess } from './operations.ts'

export const capability: Capability<World> = {
  operations: [createCode, getCode, rotate, getAccess, setAccess],
  jobs: [connect, disconnect, followMove],
  duties: [{ name: 'moved sites', ofSite: lookForMoves }],
  retention: [{ table: 'enrolment_codes', at: 'expires_at', days: 30 }],
}
