import type { Proofs } from '../mutation/proof.ts'

/** People: passwords, sessions, roles, invitations, and the pages they look at. */
export const people: Proofs = {
  'server/src/views/views.test.ts': {
    'nobody has those of somebody else, of another workspace, or of a token': [
      'views/store.ts',
      'WHERE (workspace_id, user_id, id) = (${workspaceId}, ${userId}, ${id}) RETURNING',
      'WHERE (workspace_id, id) = (${workspaceId}, ${id}) RETURNING',
    ],
    'what is no filter of the list is refused, and so is what is too long or too much': [
      'views/query.ts',
      'z.strictObject(FleetFilters)',
      'z.object(FleetFilters)',
    ],
  },
  'server/src/members/sign-in.test.ts': {
    'two thousand guesses from five hundred networks compute at most twenty hashes a minute, and the owner gets in meanwhile': [
      'members/guesses.ts',
      'strangers: 10, known: 5',
      'strangers: 30, known: 5',
    ],
    'a browser that is known for one person helps with no other, and one that was made up with none': [
      'members/session-store.ts',
      'lower(u.email) = lower(${email}) AND d.sha256',
      "${email} <> '' AND d.sha256",
    ],
    'an account that does not exist answers in the same words, costs the same hash and has the same limit': [
      'members/sign-in.ts',
      "'The e-mail address or the password is wrong.'",
      "account ? 'The password is wrong.' : 'There is no such person.'",
    ],
    'the operator’s link lets a person choose a new password once, within an hour, and ends every session they had': [
      'members/session-store.ts',
      'AND r.expires_at > ${now}',
      'AND ${now}::timestamptz IS NOT NULL',
    ],
  },
  'server/src/members/members.test.ts': {
    'what the role … may be let in to do is what its scopes say, for every operation': [
      'members/schema.ts',
      'viewer: reading',
      'viewer: work',
    ],
    'a role that is changed, and a member who is let go, are felt by the next request of an open session': [
      'members/session-store.ts',
      'w.name AS workspace, m.role',
      "w.name AS workspace, 'owner' AS role",
    ],
    'somebody new joins by an invitation, chooses a password, and is what the invitation says; the link works once': [
      'members/store.ts',
      '${joined.userId}, ${joined.role}, ${asJson',
      "${joined.userId}, 'admin', ${asJson",
    ],
    'an invitation ends when it is withdrawn, replaced, or a week old': [
      'members/store.ts',
      'AND i.expires_at > ${now}',
      'AND ${now}::timestamptz IS NOT NULL',
    ],
    'only an owner makes owners or lets them go, and the last one stays': [
      'members/service.ts',
      "    if (before === 'owner') await mustNotBeLast(context)\n",
      '',
    ],
  },
  'server/src/http/session.test.ts': {
    'whatever changes something is refused from another origin, without one, as a form, as text, and without the page’s proof': [
      'http/own-page.ts',
      "if (ours && (site === undefined || site === 'same-origin')) return",
      "if (ours || site !== 'none') return",
    ],
    'a session that was planted before the sign-in is not the one that is signed in': [
      'http/session-doors.ts',
      '      if (before) await endSession(world, before.session)\n',
      '',
    ],
    'over https the cookies are held to this host and to encryption by their prefix': [
      'http/cookies.ts',
      "secure ? '__Host-' : ''",
      "secure ? '' : ''",
    ],
    'a session ends a week after it was last used, and a month after it began': [
      'members/sessions.ts',
      'idleMs: 7 * dayMs',
      'idleMs: 70 * dayMs',
    ],
    'a secret of a session, a password and a way back in stand in no log and in no table': [
      'members/sessions.ts',
      'agent: seat.agent.slice(0, 300)',
      'agent: secret',
    ],
    'a change of workspace is this session’s own, and a page that shows the one before is refused, reads included': [
      'members/sessions.ts',
      "`csrf ${workspaceId ?? ''}`",
      "workspaceId === '' ? '' : 'csrf'",
    ],
  },
  'server/src/http/dashboard.test.ts': {
    'every place answers with one page that runs no script but our own files, and is kept nowhere': [
      'http/dashboard.ts',
      `"script-src 'self'"`,
      `"script-src 'self' 'unsafe-inline'"`,
    ],
  },
  'tools/dashboard.test.ts': {
    'the dashboard knows the service by its contract alone, and never turns text into markup': [
      'dashboard/src/theme.ts',
      "primaryColor: 'accent',",
      "primaryColor: 'accent', // innerHTML",
    ],
  },
  'e2e/browser/hostile.test.ts': {
    'forty texts in every field a site or an agent fills: no script runs, nothing is reported, no link leads astray, on any page': [
      'dashboard/dist/index.html',
      '<div id="app">',
      '<img src="x" onerror="hit()"><div id="app">',
    ],
  },
}
