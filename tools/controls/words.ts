import type { Proofs } from '../mutation/proof.ts'

/** What a site says, and what it makes others do: in no sentence of ours, in no dump, and no reason to undo an update. */
export const words: Proofs = {
  'server/src/projections/site-said.test.ts': {
    'a site that fails at whatever it is asked is heard beside our words, never in them': [
      'connector/exchange.ts',
      'new SiteError(`error:${code}`, VERB_ERRORS[code], {',
      'new SiteError(`error:${code}`, `${VERB_ERRORS[code]} ${words}`, {',
    ],
    'what stands before the connector is not repeated: …': [
      'connector/diagnose.ts',
      'it sends requests on to another address (HTTP',
      'it sends requests on to ${where} (HTTP',
    ],
    'of an update that … the reason is the service’s': [
      'updates/words.ts',
      "{ message: 'WordPress did not install it.', siteSaid: siteSaid(reason) }",
      '{ message: reason, siteSaid: siteSaid(reason) }',
    ],
    'a restore that the site refuses or fails at is told in our words': [
      'restores/jobs.ts',
      "`This site cannot take a restore${passes ? ' now' : ''}. What it said tells what stands in the way.`",
      '`This site cannot take a restore: ${obstacle}.`',
    ],
    'a plugin that is not there is told with those that are, as data': [
      'updates/selection.ts',
      'Name one of the candidates.',
      "Name one of ${candidates.join(', ')}.",
    ],
  },
  'server/src/sites/visible.test.ts': {
    'however many of whatever there are, a page is walked once': ['sites/visible.ts', '/<[^<>]*>/g', '/<[^>]*>/g'],
  },
  'server/src/updates/undo.test.ts': {
    'a stranger’s errors do not take an update back, and are told': ['updates/judge.ts', "by !== 'other'", 'by !== undefined'],
    'an error of the item itself takes it back, whatever strangers met beside it': ['updates/judge.ts', "by !== 'other'", "by === 'look'"],
    'an error that a look of our own meets takes it back, and nobody else can borrow the mark of a look': [
      'updates/judge.ts',
      "by !== 'other'",
      "by === 'item'",
    ],
  },
  'server/src/rollouts/rollouts.test.ts': {
    'errors that strangers meet on the first site do not stop it': ['updates/judge.ts', "by !== 'other'", 'by !== undefined'],
  },
  'server/src/backups/foreign-statements.test.ts': {
    'a definition that is more than one statement leaves its table out, by name, and all others are there': [
      'backups/engine/pull-database.ts',
      'doubt: doubtOf(table)',
      'doubt: null',
    ],
  },
  'e2e/native/client-commands.test.ts': {
    'nothing that stands in a definition, a name or rows makes the client run a command, and the other tables are imported': [
      'backups/engine/sql-dump.ts',
      'if (doubtOf(table) !== null) {',
      'if (doubtOf(table) === undefined) {',
    ],
  },
}
