-- What is backed up before an update; a policy of its own, so that setting it does not begin to delete old backups.

CREATE TABLE update_policies (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  site_id       text, -- null: all sites that have none of their own
  pre_update    text NOT NULL CHECK (pre_update IN ('none', 'db', 'files', 'full')),
  reuse_hours   integer NOT NULL CHECK (reuse_hours BETWEEN 0 AND 168),
  UNIQUE NULLS NOT DISTINCT (workspace_id, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- Something was changed on the strength of this backup; until then it stays, whatever the retention says.
ALTER TABLE backups ADD COLUMN needed_until timestamptz;
