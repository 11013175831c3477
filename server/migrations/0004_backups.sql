-- Backups and the index of the packs that hold their bytes.

CREATE TABLE backups (
  workspace_id      text NOT NULL,
  id                text NOT NULL,
  site_id           text NOT NULL,
  job_id            text NOT NULL,
  type              text NOT NULL CHECK (type IN ('full', 'db', 'files')),
  status            text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'canceled')),
  trigger           text NOT NULL,
  requested_by      jsonb NOT NULL,
  size_bytes        bigint,
  stored_bytes      bigint,
  files_count       integer,
  tables_count      integer,
  rows_count        bigint,
  consistency       text,
  excluded          jsonb,
  unreadable_count  integer,
  changed_count     integer,
  manifest          text,
  wp_version        text,
  error             jsonb,
  verified_at       timestamptz,
  verification      text,
  verification_report jsonb, -- what the last trial brought out
  lost              jsonb, -- how many files and tables of a damaged one, and some of them by name; null: nothing is known of that
  -- it takes over what did not move since this one
  parent            text,
  -- 0: every file was read; n: the n-th since then that read only what had moved
  increment         integer,
  files_changed     integer,
  -- 0: all rows were read; n: the n-th since then that read only ranges that had moved
  database_increment integer,
  rows_read         bigint,
  fuzzy_tables      jsonb,
  whole_tables      jsonb,
  -- rows that were too large: how many, of which tables, some of them in words; null: none is missing
  skipped_rows      jsonb,
  -- some of the files that could not be read, and of those that changed meanwhile; null: none
  omitted           jsonb,
  -- it holds far less than the one before, so nothing older is deleted on its account
  suspect           boolean NOT NULL DEFAULT false,
  -- something was changed on the strength of it; until then it stays, whatever the retention says
  needed_until      timestamptz,
  -- its number among those of the workspace
  chain             bigint,
  expires_at        timestamptz,
  created_at        timestamptz NOT NULL,
  completed_at      timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX backups_site ON backups (workspace_id, site_id, created_at DESC);
CREATE INDEX backups_job ON backups (workspace_id, job_id);
CREATE TRIGGER backups_inserted AFTER INSERT ON backups REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER backups_updated AFTER UPDATE ON backups REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER backups_deleted AFTER DELETE ON backups REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();

CREATE TABLE packs (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            bytea NOT NULL, -- SHA-256 of its bytes
  salt          bytea NOT NULL,
  bytes         bigint NOT NULL,
  created_at    timestamptz NOT NULL,
  condemned_at  timestamptz,
  cycles        integer NOT NULL DEFAULT 0, -- how many looks at the store in a row found it without use
  read_at       timestamptz, -- when all of it was last read back
  damage        text, -- why it cannot be relied on; null: nothing is known to be wrong
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE blobs (
  workspace_id  text NOT NULL,
  id            bytea NOT NULL, -- HMAC-SHA256 of the plain bytes under the workspace's id key
  pack_id       bytea NOT NULL,
  type          text NOT NULL,
  slot          integer NOT NULL,
  "offset"      integer NOT NULL,
  length        integer NOT NULL,
  plain_length  integer NOT NULL,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, pack_id) REFERENCES packs ON DELETE CASCADE
);
CREATE INDEX blobs_pack ON blobs (workspace_id, pack_id);

-- A running job needs these packs: it reused a blob that lies there, or wrote it.
CREATE TABLE pack_holds (
  workspace_id  text NOT NULL,
  job_id        text NOT NULL,
  pack_id       bytea NOT NULL,
  PRIMARY KEY (workspace_id, job_id, pack_id),
  FOREIGN KEY (workspace_id, job_id) REFERENCES jobs ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, pack_id) REFERENCES packs ON DELETE CASCADE
);
CREATE INDEX pack_holds_pack ON pack_holds (workspace_id, pack_id);

-- Objects that no pack's row names: announced before they are written, or about to be deleted.
CREATE TABLE loose_objects (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  key           text NOT NULL,
  owner         text, -- the job that writes it; null: to be deleted
  PRIMARY KEY (workspace_id, key)
);
