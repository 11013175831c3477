import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { disconnect } from './goodbye-jobs.ts'
import { connect } from './jobs.ts'
import { createCode, rotate } from './operations.ts'

export const capability: Capability<World> = {
  operations: [createCode, rotate],
  jobs: [connect, disconnect],
  retention: [{ table: 'enrolment_codes', at: 'expires_at', days: 30 }],
}
