import type { Proofs } from '../mutation/proof.ts'

/** What is kept: packs, their chain, retention, the master key, the bucket. */
export const backups: Proofs = {
  'server/src/backups/backups.test.ts': {
    'another site’s backup is not found, …': [
      'backups/store.ts',
      'WHERE b.workspace_id = ${workspaceId} AND b.site_id = ${siteId} AND b.id = ${id}`.execute(db)',
      'WHERE b.workspace_id = ${workspaceId} AND b.site_id <> ${siteId.slice(0, 4)} AND b.id = ${id}`.execute(db)',
    ],
    'whatever a hostile site answers in the middle, …': [
      'sites/talk.ts',
      'return new Problem(code, message, { retryable, siteSaid, cause: error })',
      "return new Problem('internal', code + message, { retryable, siteSaid, cause: error })",
    ],
    'what a site holds is nowhere to be read: not in the store, the database, the log or temporary folders': [
      'backups/engine/pack-format.ts',
      'end += sealed.copy(target, end)',
      'end += Buffer.from(body.subarray(done, done + STEP_BYTES)).copy(target, end)',
    ],
    'verify reads everything back, and names what was damaged': [
      'backups/verify.ts',
      '    if (list.length < mostNamed) list.push(',
      '    if (list.length < 0) list.push(',
    ],
  },
  'server/src/backups/engine/pack.test.ts': {
    'nothing of the content can be seen in the stored bytes': [
      'backups/engine/pack-format.ts',
      'end += sealed.copy(target, end)',
      'end += Buffer.from(body.subarray(done, done + STEP_BYTES)).copy(target, end)',
    ],
    'equal content under two salts gives different bytes': [
      'backups/engine/pack-format.ts',
      "hkdfSync('sha256', keys.dataKey, salt, 'svc-pack-1', 32)",
      "hkdfSync('sha256', keys.dataKey, salt.subarray(0, 0), 'svc-pack-1', 32)",
    ],
    'every flipped bit is found, …': [
      'backups/engine/pack-format.ts',
      'throw new PackDamage(`${where}: authentication failed (changed bytes, another place, another workspace or another key)`)',
      '// Let through.',
    ],
    'two blobs that changed places are found': [
      'backups/engine/pack-format.ts',
      'numbers.writeUInt32BE(slot, 4)',
      'numbers.writeUInt32BE(0, 4)',
      'backups/engine/pack-format.ts',
      'nonce.writeUInt32BE(slot, 8)',
      'nonce.writeUInt32BE(0 * slot, 8)',
    ],
    'a cut-off pack is found, …': [
      'backups/engine/pack.ts',
      'if (!END_MAGIC.equals(pack.subarray(footerStart + 4)))',
      'if (pack.length < END_MAGIC.length)',
    ],
  },
  'server/src/backups/engine/download.test.ts': {
    'a flipped bit in a stored pack ends the download with an error': [
      'backups/engine/pack-format.ts',
      'throw new PackDamage(`${where}: authentication failed (changed bytes, another place, another workspace or another key)`)',
      '// Let through.',
      'backups/engine/pack.ts',
      'if (blobId(keys, plain) !== header.id)',
      "if (header.id === '')",
      'backups/engine/archive.ts',
      "if (isLast && hashed === file.size && hash?.digest('hex') !== file.sha256)",
      "if (isLast && hashed < 0 && hash?.digest('hex') !== file.sha256)",
    ],
  },
  'server/src/backups/engine/pull-files.test.ts': {
    'a list without end is given up': ['backups/engine/file-walk.ts', 'if (this.#entries > this.#most)', 'if (this.#entries < 0)'],
  },
  'server/src/backups/rebuild.test.ts': {
    'damages of every kind are all found, and what was backed up is never read wrongly': [
      'backups/check.ts',
      'else if (deep) await read(here, workspaceId, hash, found)',
      'else if (deep) await breathe()',
    ],
  },
  'server/src/backups/chain.test.ts': {
    'an older store under a newer database is found': ['backups/chain.ts', 'if (newest > last && ', 'if (newest < 0 && '],
    'an older database over a newer store is found, …': ['backups/chain.ts', 'if (last > counter)', 'if (last < 0)'],
    'a backup that is given the list of an older one is named': [
      'backups/chain.ts',
      'if (backup === id && site === site_id && number === chain) return []',
      'if (backup && site === site_id && (number ?? chain) !== id) return []',
    ],
    'database and store of the same older time are found by what this machine has seen': [
      'backups/chain.ts',
      'if (seen > Math.max(counter, last))',
      'if (seen < 0)',
    ],
  },
  'server/src/restores/damage.test.ts': {
    '…: a restore ends at once as damaged, the site hears nothing of it, and the backup says what is lost': [
      'restores/jobs.ts',
      '  if (isRead) await readThrough(job, source, blobsIn(source, scope))\n',
      '',
    ],
    'of a large backup a missing object is found before anything is read, also for safety': [
      'restores/jobs.ts',
      "  if (await lossOf(here, source.id, scope)) throw new PackDamage('a part of what is wanted is lost')\n",
      '',
    ],
    'of a large backup damage in what will be sent is found before the site hears of it': [
      'restores/jobs.ts',
      '  if (!isRead) await readThrough(job, source, blobsOf(plan))\n',
      '',
    ],
    'the next backup takes nothing over from what is lost, and reads anew what it cannot': [
      'backups/prune-store.ts',
      'WHERE p.condemned_at IS NULL AND p.damage IS NULL)',
      'WHERE p.condemned_at IS NULL)',
    ],
    'a backup before whose lists are gone is marked when the next one meets it, and that one is whole': [
      'backups/increments.ts',
      '    await onDamage(parent.id, error)\n',
      '',
    ],
    'a download is refused where the lists are gone, and breaks off where a content is; the backup is marked': [
      'backups/service.ts',
      'const damaged = (error: unknown) => damageOf(context, id, error)',
      'const damaged = async (error: unknown) => error ?? damageOf(context, id, error)',
    ],
  },
  'server/src/backups/watch.test.ts': {
    'where a check by the operator finds that a pack …, the backups that need it are marked, and the next one stores it anew': [
      'backups/watch.ts',
      "  for (const hash of damaged) await markRead(here, hash, 'damaged')\n",
      '',
    ],
  },
  'server/src/backups/finish.test.ts': {
    'what another site holds makes no backup suspect, and hides none that is': [
      'backups/store.ts',
      "AND site_id = ${siteId} AND status = 'completed' AND NOT suspect",
      "AND site_id <> ${siteId.slice(0, 2)} AND status = 'completed' AND NOT suspect",
    ],
    'only the current attempt of its job completes a backup': [
      'backups/store.ts',
      'AND (j.workspace_id, j.id, j.fence) = (${workspaceId}, ${job.id}, ${job.fence})',
      'AND (j.workspace_id, j.id, j.fence + 1) > (${workspaceId}, ${job.id}, 0 * ${job.fence})',
    ],
  },
  'server/src/schedules/keeping.test.ts': {
    'a suspect backup is accepted by an owner, not by a token': [
      'backups/operations.ts',
      "scope: 'manage', // a ruined site's backups",
      "scope: 'write', // a ruined site's backups",
    ],
  },
  'server/src/schedules/retention.test.ts': {
    'while the latest backup is suspect nothing is deleted; …': ['schedules/retention.ts', 'const drop = frozen ? [] : ', 'const drop = '],
    'three of each type stay, whatever the policy says': ['schedules/retention.ts', 'const floor = 3', 'const floor = 2'],
  },
  'server/src/schedules/schedules.test.ts': {
    'a site that was emptied makes a suspect backup, …': [
      'backups/suspicion.ts',
      'before !== null && now !== null && now * 2 < before',
      'before !== null && now !== null && now * 2 < -before',
    ],
  },
  'e2e/durability/disaster.test.ts': {
    '': ['workspaces/rotation.ts', 'sealKey(next, id, openKey(masterKey, id, sealed_key))', 'sealed_key'],
  },
  'server/src/workspaces/rotation.test.ts': {
    'a rotation beside a running service is noticed by it when it must, and nothing is lost': [
      'workspaces/keys.ts',
      '  if (master !== masterKey.id) masterKey.renew(master)\n',
      '',
    ],
    'a rotation that ends after the step …': [
      'workspaces/rotation.ts',
      '    await setMasterKeyId(tx, next.id)\n',
      '    await setMasterKeyId(db, next.id)\n',
    ],
    'of rotations at the same time one is done, and the others say so': [
      'workspaces/rotation.ts',
      'if ((await holdMasterKeyId(tx)) !== masterKey.id)',
      "if (masterKey.id === '')",
    ],
    'jobs that run while the master key is replaced five times all end well': [
      'workspaces/keys.ts',
      '  if (master !== masterKey.id) masterKey.renew(master)\n',
      '',
      'workspaces/keys.ts',
      '  opened.set(workspaceId, { key, seen: at })\n',
      '',
    ],
  },
  'server/src/platform/storage-s3.test.ts': {
    'trouble that stays is told in two words, without a secret, …': [
      'platform/storage-s3-trouble.ts',
      'new S3Trouble(what, reasonOf(error), mayPass(error), statusOf(error))',
      'new S3Trouble(what, String((error as Error).stack), mayPass(error), statusOf(error))',
    ],
    'the address is read strictly, and what is refused is not repeated': [
      'platform/storage-s3-url.ts',
      "throw refusal('it has an option that does not exist')",
      'throw refusal(`it has an option that does not exist: ${text}`)',
    ],
  },
}
