import type { Mutation, Proofs } from '../mutation/proof.ts'

/** The link for the first owner is deleted, and counts for nothing where there is an owner. */
const closed: Mutation = [
  'workspaces/service.ts',
  'await closeSetup(db)',
  'void closeSetup',
  'workspaces/store.ts',
  "    AND NOT EXISTS (SELECT 1 FROM members WHERE role = 'owner')`.execute(db)\n  return rows.length > 0",
  '    `.execute(db)\n  return rows.length > 0',
]

/** Who becomes a site, an owner, or somebody else’s namesake. */
export const joining: Proofs = {
  'server/src/pairing/pairing.test.ts': {
    '… pairs nothing': [
      'pairing/service.ts',
      'enrolProofHolds(key, { sitePublic, url, nonce }, proof)\n',
      "key.length > 0 && nonce !== '' && sitePublic !== '' && url !== '' && proof !== ''\n",
    ],
    'a code works once, even for two sites at the same moment': [
      'pairing/refused.ts',
      'if (code.used_at !== null)',
      'if ((false as boolean) && code.used_at !== null)',
    ],
    'five wrong proofs spend a code': ['pairing/refused.ts', 'code.tries >= mostTries', 'code.tries >= 200 * mostTries'],
    'a code ends after a quarter of an hour': [
      'pairing/refused.ts',
      'if (code.expires_at <= now)',
      'if ((false as boolean) && code.expires_at <= now)',
    ],
    'a code for one host is of no use to another': [
      'pairing/refused.ts',
      'return code.host === null ||',
      'return (true as boolean) || code.host === null ||',
    ],
    'a site whose clock is a day off is connected all the same': [
      'connector/ask.ts',
      'const skewSeconds = skewOf(site.skewSeconds, hello.data.time, { before, after })',
      'const skewSeconds = 0 * after',
    ],
  },
  'server/src/connector/enrol.test.ts': {
    'a key, site id or nonce swapped on the way is refused by the site': [
      'connector/enrol.ts',
      "['enrol-2', answer.siteId, answer.servicePublic, ",
      "['enrol-2', answer.siteId, ",
    ],
  },
  'server/src/pairing/takeover.test.ts': {
    'that is …, whether it answers or not': ['pairing/service.ts', 'known && !known.unproven', 'known && known.unproven && false'],
    'made for one site is of no use to another, nor for sending its answers elsewhere': [
      'pairing/service.ts',
      'if (domainOf(known.url) !== domainOf(url) && code.host === null)',
      'if (false as boolean)',
    ],
    'does not get it under another way to write its address, …': ['pairing/service.ts', 'await countTry(db, code)\n', 'void code\n'],
    'cannot claim an address that somebody else answers at, …': [
      'sites/first-hello.ts',
      '{ ...secrets, url, home: url, door: null, mode: null }',
      'secrets',
    ],
    'can bring a site that moved, …': [
      'pairing/service.ts',
      'return there && there !== known && !there.unproven',
      'return there && there === null',
    ],
  },
  'server/src/pairing/access.test.ts': {
    'what lets us through goes to the site’s own two addresses and to no other': [
      'sites/access.ts',
      'if (!to || !own.has(to.origin))',
      'if (!to)',
    ],
    'is told to nobody: not in answers, rows, the activity or the audit': [
      'sites/access.ts',
      "seal(key, Buffer.from(JSON.stringify(access)), context(siteId)).toString('base64')",
      'JSON.stringify(access)',
    ],
    'is for owners alone, and takes no header that our requests need': [
      'sites/schema.ts',
      ".refine((name) => !OURS.test(name), 'The service sets this header itself.')",
      '',
    ],
  },
  'server/src/pairing/follow-move.test.ts': {
    'only the same host is followed, and never away from https': [
      'pairing/follow-move.ts',
      'bareDomain(to.hostname) === bareDomain(from.hostname) &&',
      '',
    ],
    'is not followed to another site, nor to where another answers': [
      'pairing/follow-move.ts',
      'const hello = await sayFirstHello(here, site, to)',
      'const hello = { url: to, home: to } as FirstHello',
    ],
  },
  'server/src/sites/first-hello.test.ts': {
    'a site whose visitors come to another host must answer there as well': [
      'sites/first-hello.ts',
      'home === plainUrl(url) ? there : await helloAtHome(talker, { ...connection, home, skewSeconds: there.skewSeconds })',
      'there',
    ],
    'a connected site does not lead its calls away by a later hello': [
      'sites/first-hello.ts',
      'probe(wire, connection, HOME_DOORS)',
      'probe(wire, connection)',
    ],
    'an answer to keys that were replaced meanwhile connects nothing': [
      'sites/store.ts',
      "status IN ('disconnected', 'pending')",
      "status = 'disconnected'",
    ],
  },
  'server/src/http/setup.test.ts': {
    'by an owner made on the command line': closed,
    'by an owner who is made while the form is sent': [
      'workspaces/setup.ts',
      '    await takeTurn(db)\n    if (!(await holdsSetup(',
      '    if (!(await holdsSetup(',
    ],
    'an hour after it was printed; …': ['workspaces/store.ts', 'u.value::bigint > ${now.getTime()}', 'u.value::bigint <> ${now.getTime()}'],
    'of eight who send the form at once one becomes the owner, …': closed,
    'to a workspace that is there already, …': ['workspaces/setup.ts', 'if (await findWorkspace(', 'if (false && await findWorkspace('],
  },
  'server/src/pairing/goodbye.test.ts': {
    'while nobody can see whether it is so (…) ends nothing, and is looked at again': [
      'pairing/goodbye-jobs.ts',
      "if (error instanceof SiteError && (probe ? error.code !== 'site_unreachable' : isDeaf(error))) return false",
      'if (error instanceof SiteError) return false',
    ],
    'of a site whose usual door is shut is not believed while another door is open': [
      'pairing/goodbye-jobs.ts',
      'return usual || isThere(here, site, true)',
      'return usual',
    ],
    'of a site that is deaf from then on ends the pairing': [
      'pairing/goodbye-jobs.ts',
      'if (await endPairing(within, siteId, pairing)) await event(',
      'if (pairing === siteId) await event(',
    ],
    'of a copy that has the key ends nothing while the site answers, …': [
      'pairing/goodbye-jobs.ts',
      'if (await answers(here, site)) continue',
      'if (false as boolean) continue',
    ],
    'that comes before the site has become deaf is looked at again': ['pairing/goodbye-jobs.ts', '[250, 3_000]', '[250]'],
  },
  'server/src/sites/names.test.ts': {
    'gets no call that is meant for the domain, …': [
      'sites/site-operation.ts',
      '  const there = only(sites.filter(({ url }) => domainOf(url) === wanted))\n',
      '  const there = only(sites.filter(({ name }) => name === named)) ?? only(sites.filter(({ url }) => domainOf(url) === wanted))\n',
    ],
    'gets no … by www. before a domain that is registered without, nor by its name': [
      'sites/site-operation.ts',
      'isRead({ effect }) ?',
      '(true as boolean) ?',
    ],
    'is not even read under www. before another’s domain, …': [
      'sites/site-operation.ts',
      'bareDomain(domainOf(url)) === bareDomain(wanted)',
      'domainOf(url) === wanted',
    ],
  },
}
