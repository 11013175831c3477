import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { deliver } from './deliver.ts'
import { gather, gatherCertificates } from './gather.ts'
import { addChannel, addRule, channels, deliveries, notices, removeChannel, removeRule, retry, rules, test } from './operations.ts'

export const capability: Capability<World> = {
  operations: [notices, channels, addChannel, test, removeChannel, rules, addRule, removeRule, deliveries, retry],
  duties: [
    { name: 'notices', everyMs: 5_000, run: gather },
    { name: 'certificates', everyMs: 3_600_000, run: gatherCertificates },
    { name: 'notifications', everyMs: 5_000, run: deliver },
  ],
  retention: [
    { table: 'notices', at: 'happened_at', days: 400 },
    { table: 'deliveries', at: 'created_at', days: 90 },
  ],
}
