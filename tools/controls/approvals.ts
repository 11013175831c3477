import type { Proofs } from '../mutation/proof.ts'

/** What agents may have done only when a person says so, and what they may see. */
export const approvals: Proofs = {
  'server/src/approvals/hostile.test.ts': {
    'a site that offers other versions by then gets none: neither at the approval nor when the update runs': [
      'updates/approved.ts',
      'approved.has(keyOf(',
      '(true as boolean) || approved.has(keyOf(',
    ],
    'the database itself changes nothing that was asked, shown or decided, and knows no way back': [
      'approvals/sealing.ts',
      'const contextOf = (id: string) => `approval ${id}`',
      "const contextOf = (_id: string) => 'approval'",
    ],
    'no token, no member and nobody from elsewhere decides, whatever scope they claim': [
      'approvals/rights.ts',
      "caller.type === 'user' && (await isApprover({ db, workspaceId }, caller.id))",
      "caller.type === 'user'",
    ],
    'only so many wait: twenty of a token, two hundred of a workspace, sixty an hour': [
      'approvals/ask.ts',
      '    await mayAsk(now, caller.id, isAllowed)\n',
      '',
    ],
  },
  'server/src/approvals/approvals.test.ts': {
    '… what was approved runs as it was shown, and where something changed before it runs, nothing does': [
      'approvals/held.ts',
      'if (job.approvalId === null ||',
      'if ((true as boolean) || job.approvalId === null ||',
    ],
  },
  'server/src/approvals/histories.test.ts': {
    '… random histories …': [
      'approvals/decide.ts',
      'if (digest !== row.plan_digest)',
      'if ((false as boolean) && digest !== row.plan_digest)',
    ],
  },
  'server/src/policies/decide.test.ts': {
    'what may never be done without asking is not, whatever the database says': [
      'policies/decide.ts',
      "return alwaysAsks(cell) && found.decision === 'auto'",
      "return (false as boolean) && alwaysAsks(cell) && found.decision === 'auto'",
    ],
    'a change that is not called looser lets no site there may be have anything done that was asked for before': [
      'policies/decide.ts',
      'return before !== undefined && [base, ...tags].some(',
      'return before !== undefined && [base].some(',
    ],
  },
  'server/src/policies/policies.test.ts': {
    'to have less asked for takes an owner or admin who has just shown a second factor; to have more asked for any of them': [
      'policies/service.ts',
      'if (looser && !freshFactor(context.caller, context.now())) throw notFresh()',
      'if ((false as boolean) && looser && !freshFactor(context.caller, context.now())) throw notFresh()',
    ],
    'a revoked token has nothing done, whatever the policies let': [
      'approvals/automatic.ts',
      '...(await callOf(here, row, { id: row.id, by })), signal',
      "caller: { ...row.requested_by, workspaceId: here.workspaceId, scopes: new Set(['read', 'write'] as const), approvalOnly: false }, face: row.face, requestId: row.request_id, signal",
    ],
  },
  'server/src/rollouts/next-wave.test.ts': {
    'each further wave waits for a person, who is shown it; a wave that is declined ends the rollout': [
      'rollouts/advance.ts',
      'rollout.approval_id !== null && !rollout.all_waves)',
      'rollout.approval_id !== null && rollout.all_waves)',
    ],
  },
  'server/src/updates/rules.test.ts': {
    'what one site says of a version hastens it on no other': [
      'inventory/offered.ts',
      'AND site_id = ANY(${siteIds})',
      'AND (true OR site_id = ANY(${siteIds}))',
      'updates/rules.ts',
      'keyOf(each.site_id, each.type',
      "keyOf(siteIds[0] ?? '', each.type",
    ],
  },
  'server/src/audit/audit.test.ts': {
    'another workspace’s rows are never in it, whatever is filtered by': [
      'audit/store.ts',
      'sql`a.workspace_id = ${workspaceId}`',
      'sql`(true OR a.workspace_id = ${workspaceId})`',
    ],
    'it is exported whole, as CSV and as JSON lines; what a name begins with is no formula': [
      'audit/service.ts',
      '/^[=+\\-@\\t\\r]/.test(text)',
      '/^[+\\-@\\t\\r]/.test(text)',
    ],
  },
  'server/src/approvals/pause.test.ts': {
    'from the moment the pause returns no node lets a token in, whatever it had in memory': [
      'approvals/pause.ts',
      '  if (changed || paused) await announceRevocation(db, workspaceId)\n',
      '',
    ],
  },
  'server/src/tokens/sees.test.ts': {
    '… tells nothing of a site that is not seen, and does nothing there': [
      'kernel/run.ts',
      'if (sees && !seesOwn',
      'if (sees && (false as boolean) && !seesOwn',
    ],
  },
}
