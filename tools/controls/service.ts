import type { Proofs } from '../mutation/proof.ts'

/** Who may do what: tokens, workspaces, the door, the network, the log. */
export const service: Proofs = {
  'server/src/tokens/tokens.test.ts': {
    'no request that began after a revocation committed is let in, on any of three nodes under load': [
      'tokens/service.ts',
      '  await announceRevocation(context.db, id)\n',
      '',
    ],
    'a node that cannot renew its lease stops trusting its memory before the lease ends': [
      'platform/signals.ts',
      'fresh: 2000, lease: 4000',
      'fresh: 8000, lease: 4000',
    ],
    'a node that no longer hears is waited for as long as its lease, and no longer': [
      'platform/signals.ts',
      'WHERE lease_until > now() AND acked',
      "WHERE lease_until > now() + interval '1 hour' AND acked",
    ],
    'memory is not trusted once the connection that hears has broken': [
      'platform/signals.ts',
      "    next.on('error', () => this.#forgetAll())\n",
      "    next.on('error', () => undefined)\n",
    ],
    'only a hash and a prefix are stored': ['tokens/secret.ts', 'token.slice(0, 12)', 'token'],
    'an expired token is refused from the second it expires': [
      'tokens/known.ts',
      '    if (expiresAt <= at.getTime()) return undefined\n',
      '',
    ],
    'every token has the published form and a checksum that no single change survives': [
      'tokens/secret.ts',
      ' && checksum(text.slice(4, 36)) === text.slice(36)',
      '',
    ],
    'nothing else looks like a token': ['tokens/secret.ts', '/^svc_[0-9A-Za-z]{38}$/', '/^svc_[0-9A-Za-z]{38}$/i'],
    'a token that needs approvals reads, logs activity as internal, and changes nothing else': [
      'kernel/run.ts',
      'return caller.approvalOnly && !isRead(operation)',
      'return (false as boolean) && caller.approvalOnly && !isRead(operation)',
    ],
  },
  'server/src/projections/mcp-success.test.ts': {
    'a revoked token is refused on the connection that stays open': [
      'tokens/store.ts',
      'SET revoked_at = coalesce(revoked_at, ${now()})',
      'SET revoked_at = coalesce(revoked_at, NULL)',
    ],
    'a site of another workspace is not found, like one that never was': [
      'sites/site-operation.ts',
      'if (!site) throw missing()\n  return site\n',
      "return site ?? ({ id: 'site_00000000000000000000000000' } as Site)\n",
    ],
  },
  'server/src/kernel/authorization.test.ts': {
    '… is not done for a token that needs approvals: a person is asked, once': [
      'kernel/run.ts',
      'return caller.approvalOnly && !isRead(operation)',
      'return (false as boolean) && caller.approvalOnly && !isRead(operation)',
    ],
  },
  'server/src/projections/mcp-obedient.test.ts': {
    'an obedient agent with … changes nothing': ['kernel/run.ts', 'if (!caller.scopes.has(operation.scope))', 'if (false as boolean)'],
  },
  'server/src/kernel/run.test.ts': {
    'an answer with a secret is never stored, so its key works once': [
      'kernel/idempotency.ts',
      'const response = operation.secret || output === null ? null : JSON.stringify(output)',
      'const response = output === null ? null : JSON.stringify(output)',
    ],
    'one call sent 16 times at once has one effect and one answer': [
      'kernel/idempotency.ts',
      'const earlier = bound && (await claim(db, world.now(), bound))',
      'const earlier = undefined as Remembered | undefined',
    ],
  },
  'server/src/platform/log.test.ts': {
    'no secret gets into a line, whatever it is a part of': ['platform/log.ts', 'sink.write(scrubLine(line))', 'sink.write(line)'],
    'every line parses and carries no raw control character': [
      'platform/log.ts',
      'sink.write(scrubLine(line))',
      'sink.write(JSON.parse(line).msg ?? line)',
    ],
  },
  'server/src/rollouts/rollouts.test.ts': {
    'a first site that goes wrong stops it, and the others are not touched': [
      'rollouts/advance.ts',
      "if (rollout.status === 'running' && more) await mayStop(context, rollout, wave)",
      "if (rollout.status === 'canceled' as string && more) await mayStop(context, rollout, wave)",
    ],
    'a revoked token’s rollout goes no further': [
      'rollouts/advance.ts',
      'return why && `The token that started it ${why}.`',
      'return why && undefined',
    ],
  },
}
