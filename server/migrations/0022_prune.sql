-- What keeps a pack in the store while backups run, and what is on its way out of it.

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

-- How many looks at the store in a row found the pack without use.
ALTER TABLE packs ADD COLUMN cycles integer NOT NULL DEFAULT 0;
