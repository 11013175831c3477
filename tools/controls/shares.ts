import type { Proofs } from '../mutation/proof.ts'

/** Nobody takes more than a share. */
export const shares: Proofs = {
  'server/src/http/fairness.test.ts': {
    'a hundred slow … of one leave the other its reads, its writes and readiness': [
      'platform/pools.ts',
      'new Slots(each)',
      'new Slots(all)',
    ],
    'a hundred calls that wait for a slow site leave the other its own site, on the same address': [
      'platform/outbound-turns.ts',
      '[limits.ownThere, `${address} ${party}`]',
      '[limits.ownThere, address]',
    ],
  },
  'server/src/platform/turns.test.ts': {
    'so many calls of a workspace run, so many wait in their order, and no more': [
      'platform/turns.ts',
      'quickMs[kind]), most, now',
      'quickMs[kind]), undefined, now',
    ],
    'calls of one follow each other, and while more wait it rests as long as it worked': [
      'platform/turns.ts',
      'company.of(workspaceId) && heldMs < quickMs ? heldMs : 0',
      '0',
    ],
    'calls that may wait and are answered at once follow each other too; one that waits holds up no other': [
      'platform/turns.ts',
      'quickMs: Record<Turn, number> = { work: 100, wait: 25,',
      'quickMs: Record<Turn, number> = { work: 100, wait: 0,',
    ],
  },
  'server/src/platform/outbound-turns.test.ts': {
    'a party has its own turns at an address; the address and we have a limit for all of them': [
      'platform/outbound-turns.ts',
      '      [limits.own, party],\n',
      '',
    ],
  },
  'server/src/http/wrong-tokens.test.ts': {
    'a wrong token that comes again and again is one, and is looked up once': [
      'http/wrong-tokens.ts',
      ' || wrong.find(address)?.has(digestOf(authorization))',
      '',
    ],
    'what is refused to an address is neither refused to a good token of it nor to another address, and not for longer than a minute': [
      'http/wrong-tokens.ts',
      '    const found = identify(',
      '    if (wrong.get(address).size >= perMinute) throw tooMany()\n    const found = identify(',
    ],
  },
  'server/src/http/address-budget.test.ts': {
    'a network of IPv6 is one address, however it is written; one of IPv4 is itself': ['platform/network.ts', '    .slice(0, 4)\n', ''],
    'a hundred thousand addresses take no more memory than ten thousand; those that came last are counted on': [
      'http/address-budget.ts',
      'if (this.#since.size >= this.#most && ',
      'if (this.#since.size < 0 && ',
    ],
    'an address has its number of calls in a minute, counted from its first': [
      'http/address-budget.ts',
      'counts.get(address).calls <= most',
      'counts.get(address).calls > 0 * most',
    ],
  },
  'server/src/http/strangers.test.ts': {
    'who has what never changes is told so, and is not sent it again': [
      'http/made-once.ts',
      "    if (matches(request.headers['if-none-match'], made.etag)) return reply.code(304).send()\n",
      '',
    ],
    'the plugin is read and packed once, however often it is fetched': ['http/made-once.ts', 'made ??=', 'made ='],
    'database and store are asked for readiness once in three seconds, whoever asks': [
      'http/health.ts',
      'if (Math.abs(at - last.at) >= keptMs) ',
      '',
    ],
    'sixty wrong tokens of an address are answered in a minute; a good one is let in all the same': [
      'http/wrong-tokens.ts',
      'if (seen.size >= perMinute) throw tooMany()',
      '',
    ],
  },
  'server/src/kernel/run.test.ts': {
    'a call takes its turn, and gives it back however it ends': [
      'kernel/run.ts',
      'world.turn(workspaceId, turnOf(operation), call.signal)',
      '(() => {}) as () => void | Promise<() => void>',
    ],
    'a download keeps its turn until its connection is closed': [
      'kernel/run.ts',
      ' && whenClosed(call.signal, giveBack)',
      ' && !whenClosed',
    ],
  },
  'server/src/kernel/budget.test.ts': {
    'two hundred login links at once, with two tokens on two nodes: twenty are made, and it is told once': [
      'kernel/handle.ts',
      '  if (operation.cost) await spend(context, operation, input)\n',
      '',
    ],
    'new salts are counted by sites, not by calls; a plan costs nothing': [
      'rollouts/operations.ts',
      'takes: sitesWithNewSalts',
      'takes: () => 1',
    ],
    'a restore without a safety backup is counted once for each key, and not when it was refused': [
      'restores/operations.ts',
      '(safety_backup || dry_run ? 0 : 1)',
      '(safety_backup || dry_run ? 0 : 0)',
    ],
    'a rollout costs what it begins before it could stop itself': [
      'rollouts/plan.ts',
      '  if (input.stop_above_percent > leastFuse) return sites\n',
      '',
    ],
  },
  'server/src/schedules/keeping.test.ts': {
    'a write token cannot begin to delete, keep fewer, or leave what keeps more': [
      'kernel/handle.ts',
      '  if (operation.ownersOnly) await mustBeOwner(operation, context, input)\n',
      '',
    ],
    'what an owner lowers holds a day later, and can be taken back until then': ['schedules/keeping.ts', '24 * 3_600_000', '0'],
  },
  'server/src/sites/live-look.test.ts': {
    '…: twenty calls at once on two nodes, and those of the next minute, are one look': [
      'sites/live-look.ts',
      'if (seconds === 0 ||',
      'if ((true as boolean) ||',
    ],
  },
}
