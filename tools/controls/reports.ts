import type { Proofs } from '../mutation/proof.ts'

/** Reports for clients: what they never tell, what nothing in them does, and who reads them. */
export const reports: Proofs = {
  'server/src/reports/leaks.test.ts': {
    'no internal entry, note, name, message or reason, and nothing of another client': [
      'reports/facts-store.ts',
      "a.in_reports AND NOT a.internal AND (a.kind = 'maintenance' OR a.chosen)",
      "a.kind = 'maintenance'",
    ],
  },
  'server/src/reports/hostile.test.ts': {
    '… changes nothing of the page': ['kernel/html.ts', 'replaceAll(/[&<>"\']/g', 'replaceAll(/[&]/g'],
  },
  'server/src/reports/link.test.ts': {
    'leads nowhere once it is revoked or has expired, on another node neither': [
      'reports/link-store.ts',
      'AND l.revoked_at IS NULL AND l.expires_at',
      'AND l.expires_at',
    ],
    'is not guessed at for long from one address': ['http/reports.ts', 'guessesPerMinute = 20', 'guessesPerMinute = 2000'],
  },
  'server/src/reports/bounces.test.ts': {
    'whatever stands in it, it is of the workspace that sent it alone': [
      'reports/mail-store.ts',
      'WHERE return_sha256 = ANY(',
      'WHERE return_sha256 IS NOT NULL OR return_sha256 = ANY(',
    ],
    'a notification without end, or made of openings, is read as far as its bound and costs a moment': [
      'reports/bounces.ts',
      'message.slice(0, mostOfNotice)',
      'message.slice(0)',
    ],
  },
  'server/src/platform/print-pdf.test.ts': {
    'it has no network and nothing of our surroundings, and is nobody where we are root': [
      'platform/chromium.ts',
      "env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME",
      "env: { ...process['env'], HOME",
    ],
  },
}
