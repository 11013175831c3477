import type { Proofs } from './proof.ts'

/** Who becomes a site, an owner, or somebody else’s namesake. */
export const joining: Proofs = {
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
      '{ ...secrets, home: url, door: null, mode: null }',
      'secrets',
    ],
  },
  'server/src/sites/first-hello.test.ts': {
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
    'of eight who send the form at once one becomes the owner, …': ['workspaces/service.ts', 'await closeSetup(db)', 'void closeSetup'],
    'to a workspace that is there already, …': ['workspaces/setup.ts', 'if (await findWorkspace(', 'if (false && await findWorkspace('],
  },
  'server/src/pairing/goodbye.test.ts': {
    'of a copy that has the key ends nothing while the site answers, …': [
      'pairing/goodbye-jobs.ts',
      'if (await answers(here, site)) continue',
      'if (false as boolean) continue',
    ],
    'that comes before the site has become deaf is looked at again': ['pairing/goodbye-jobs.ts', '[250, 3_000]', '[250]'],
  },
  'server/src/sites/names.test.ts': {
    'gets no … by www. before a domain that is registered without, nor by its name': [
      'sites/site-operation.ts',
      'isRead({ effect }) ?',
      '(true as boolean) ?',
    ],
    'is not even read under www. before another’s domain, …': [
      'sites/site-operation.ts',
      'bare(domainOf(url)) === bare(wanted)',
      'domainOf(url) === wanted',
    ],
  },
}
