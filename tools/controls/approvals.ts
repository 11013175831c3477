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
      '    await mayAsk(now, caller.id)\n',
      '',
    ],
  },
  'server/src/approvals/histories.test.ts': {
    '… random histories …': [
      'approvals/decide.ts',
      'if (digest !== row.plan_digest)',
      'if ((false as boolean) && digest !== row.plan_digest)',
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
