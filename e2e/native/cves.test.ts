// What broke other connectors, tried on this one: a real WordPress, paired and not, each attack by the number of its CVE.
import { after, before, test } from 'node:test'
import { type Attacked, openAttacked } from './attacked.ts'
import { chosenFiles, includedHeaders, includedNames, linksOut, uploadsElsewhere } from './cves/files.ts'
import { copiedDatabase, emptyKeys, keysThatDoNotOpen, shownSecrets } from './cves/keys.ts'
import { canary, objectsInBodies, objectsInFields, objectsInTheDatabase, signedObjects } from './cves/objects.ts'
import { heartbeats, leakedNonces, madeUsers, pressedFromElsewhere, raisedUsers } from './cves/people.ts'
import { borrowedSignatures, directRequests, markedAddresses, markedBodies, namedActions, unpairedSite } from './cves/signatures.ts'

let here: Attacked
before(async () => {
  here = await openAttacked()
})
after(() => here?.close())

test('CVE-2020-8772, InfiniteWP Client: no action is exempt from the signature', () => namedActions(here))
test('CVE-2020-8771, WP Time Capsule: no marker in a body grants trust', () => markedBodies(here))
test('CVE-2020-37255, WP Time Capsule: no marker in an address, a header or a cookie does', () => markedAddresses(here))
test('CVE-2024-10783, MainWP Child: while it is not connected it is as if it were not there', () => unpairedSite(here))
test('CVE-2026-23550, Modular DS: nothing in an address makes a request direct', () => directRequests(here))
test('CVE-2026-23800, Modular DS: a signature is good for one request, once, on one site', () => borrowedSignatures(here))

test('CVE-2026-10795, UpdraftPlus: where a key does not open, nothing is let in, with no key or any', () => keysThatDoNotOpen(here))
test('CVE-2024-6397, InstaWP Connect: an empty key matches nothing', () => emptyKeys(here))
test('CVE-2020-9043, wpCentral: no page shows a secret, not even to administrators', () => shownSecrets(here))
test('a secret in wp_options of BlogVault, MalCare and WP Remote: who reads the whole database can neither sign nor log in', () =>
  copiedDatabase(here))

test('the canary of the tests below sings when it is woken', () => canary(here))
test('CVE-2016-15004, InfiniteWP Client: a request is never unserialized', () => objectsInBodies(here))
test('CVE-2024-13742, iControlWP: nor is a field, a cookie or a header', () => objectsInFields(here))
test('a deserialization in CMS Commander (metasploit-framework#8006): not even in what the service signs', () => signedObjects(here))
test('CVE-2024-10957, UpdraftPlus: nothing in a database is unserialized while it is read or put back', () => objectsInTheDatabase(here))

test('CVE-2026-1357, WPvivid: no upload without the key, and with it none outside its folder', () => uploadsElsewhere(here))
test('CVE-2024-12209, WP Umbrella: no name in a request becomes a file that runs', () => includedNames(here))
test('CVE-2023-6553, Backup Migration: nor does a header', () => includedHeaders(here))
test('CVE-2020-11738, Duplicator: no door hands out a file of its choice', () => chosenFiles(here))
test('file_mkdir in WPMgr 0.61.161: a link on the way out is seen at the folder it leads to', () => linksOut(here))

test('CVE-2026-3903, Modular DS: another page cannot press Connect or Disconnect', () => pressedFromElsewhere(here))
test('CVE-2026-4299, MainWP Child Reports: a heartbeat tells a subscriber nothing of the connector', () => heartbeats(here))
test('CVE-2022-0633, UpdraftPlus: no backup lies on the site, and no nonce opens one', () => leakedNonces(here))
test('CVE-2022-3180, WPGateway: nobody makes a user, with a signature or without', () => madeUsers(here))
test('CVE-2026-34901, iControlWP: a subscriber stays one, and gets no session of another', () => raisedUsers(here))
