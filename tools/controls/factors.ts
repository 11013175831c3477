import type { Proofs } from '../mutation/proof.ts'

/** What is shown beside a password, what is mailed, and who sees some sites only. */
export const factors: Proofs = {
  'server/src/members/sign-in.test.ts': {
    'two hashes are computed at a time and fifty wait; one more is told to come again': ['members/guesses.ts', 'atOnce: 2,', 'atOnce: 4,'],
  },
  'server/src/workspaces/guessable.test.ts': {
    'what is guessed first is refused, with the field it was typed into': ['workspaces/guessable.ts', 'leastScore = 3', 'leastScore = 0'],
    'so is what is made of the person’s own address': ['workspaces/guessable.ts', '.check(password, known)', '.check(password, [])'],
  },
  'server/src/members/factors.test.ts': {
    'with an app in force a password opens nothing alone; the code after it does': [
      'members/sessions.ts',
      'if (ways.length > 0) return',
      'if (ways.length > 9) return',
    ],
    'no code is taken twice, nor one of an earlier step, nor by two at once': [
      'members/factor-store.ts',
      'AND sealed IS NOT NULL AND last_step < ${step}`',
      'AND sealed IS NOT NULL AND ${step}::bigint > 0`',
    ],
    'whoever has the password guesses five codes in a quarter of an hour; the person’s own browser, a recovery code and a new day get in': [
      'members/guesses.ts',
      'most: 5, withinMs: 15 * minuteMs',
      'most: 50, withinMs: 15 * minuteMs',
    ],
    'a recovery code opens once, the number of those left is told, and new ones close the old': [
      'members/factor-store.ts',
      'AND sha256 = ${sha256} AND used_at IS NULL`',
      'AND sha256 = ${sha256}`',
    ],
    'neither a new password, a way back in, nor an invitation leads around the second factor': [
      'members/sign-in.ts',
      '  if (known !== null && (await hasFactor(here.db, known)))\n',
      '  if (known !== null && (false as boolean) && (await hasFactor(here.db, known)))\n',
    ],
  },
  'server/src/members/factor-changes.test.ts': {
    'a change of a factor asks for a factor again unless one was shown just now, and is written down with it': [
      'members/fresh.ts',
      '  if (isFresh(at, now)) return\n',
      '  if (at) return\n',
    ],
    'without a factor yet the password is asked for again, and the first factor ends every other session': [
      'members/factors.ts',
      '    if (first) await endSessions(db, userId, { but: session.id }, here.now())\n',
      '',
    ],
    'what is kept of factors is of no use to a thief of the database, and stands in no log': [
      'members/factors.ts',
      'await offerAuthenticator(here.db, session.user_id, sealed, here.now())',
      'here.log.info({ note: offerOf(secret, { issuer, account: issuer }).secret }, session.id)\n  await offerAuthenticator(here.db, session.user_id, sealed, here.now())',
    ],
    'a master key that is replaced takes no factor away, and a process that has the old one still makes one': [
      'workspaces/rotation.ts',
      '    await replacePeoplesKeys(tx, (await listSealedPeople(tx)).map(rewrap))\n',
      '',
    ],
  },
  'server/src/members/guests.test.ts': {
    '… tells people of a client nothing of other sites, and does nothing for them': ['members/sessions.ts', '...(sees && { sees }),', ''],
    'they are shown their sites, without what colleagues tell each other': [
      'sites/seen.ts',
      'isGuest(caller) ? withoutNotes',
      '(false as boolean) ? withoutNotes',
    ],
    'a site that changes hands, and other sites to look at, are felt by the next request': [
      'members/service.ts',
      'sees === undefined ? (await getMember(context, userId)).sees : sees',
      'sees === undefined ? null : sees',
    ],
    'only viewers see some sites only, and nobody sees more because a role was changed': [
      'members/service.ts',
      "if (!sees || role === 'viewer') return",
      "if (!sees || role !== 'owner') return",
    ],
  },
  'server/src/http/by-mail.test.ts': {
    'a forgotten password is mailed a link that works once; an address nobody has gets the same answer and no mail': [
      'members/by-mail.ts',
      '${baseUrl}/recover#${secret}',
      'https://fleet.invalid/recover#${secret}',
    ],
    'a link that was mailed is too old after an hour, and three are mailed in one': [
      'members/guesses.ts',
      'most: 3, withinMs: 60 * minuteMs',
      'most: 30, withinMs: 60 * minuteMs',
    ],
  },
  'server/src/http/session.test.ts': {
    'whoever asks too often from an address holds up no browser in which somebody signed in before': [
      'http/session-doors.ts',
      'return budget(request.ip) || (device !== undefined',
      'return budget(request.ip) && (device !== undefined',
    ],
  },
  'server/src/http/foreign-pages.test.ts': {
    'is refused whatever it sends to whatever route changes something, and nothing changes': [
      'http/session-doors.ts',
      '        mustBeOwnPage(request, world.config.baseUrl)\n',
      '',
    ],
  },
  'e2e/browser/account.test.ts': {
    'what was signed is taken once, for the page and by the person it was made for': [
      'members/passkey-store.ts',
      'DELETE FROM challenges\n',
      'UPDATE challenges SET user_id = user_id\n',
    ],
    'a device that does not know who holds it makes no passkey': [
      'members/passkeys.ts',
      "authenticatorSelection: { residentKey: 'required', userVerification: 'required' }",
      "authenticatorSelection: { residentKey: 'required', userVerification: 'discouraged' }",
    ],
    'at an IP address passkeys are refused in a sentence, and the page leads to where they work': [
      'members/passkey-place.ts',
      "if (isIP(hostname) !== 0 || hostname.startsWith('['))",
      "if (hostname.startsWith('['))",
    ],
  },
}
