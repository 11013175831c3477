-- When sites are backed up by themselves, how long backups are kept, what comes before an update, and what is due.

CREATE TABLE schedules (
  workspace_id    text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  site_id         text, -- null: all sites that have none of their own
  enabled         boolean NOT NULL,
  type            text NOT NULL CHECK (type IN ('full', 'db', 'files')),
  at              text NOT NULL CHECK (at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'), -- UTC
  spread_minutes  integer NOT NULL CHECK (spread_minutes BETWEEN 0 AND 1440),
  -- without numbers every backup is kept
  keep_daily      integer CHECK (keep_daily >= 1),
  keep_weekly     integer CHECK (keep_weekly >= 0),
  keep_monthly    integer CHECK (keep_monthly >= 0),
  UNIQUE NULLS NOT DISTINCT (workspace_id, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- What was kept until it was lowered, and still is for a while; of the workspace where site_id is null. Without numbers: everything.
CREATE TABLE kept_before (
  workspace_id text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  site_id      text,
  keep_daily   integer,
  keep_weekly  integer,
  keep_monthly integer,
  until        timestamptz NOT NULL,
  UNIQUE NULLS NOT DISTINCT (workspace_id, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- A policy of its own, so that setting it does not begin to delete old backups.
CREATE TABLE update_policies (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  site_id       text, -- null: all sites that have none of their own
  pre_update    text NOT NULL CHECK (pre_update IN ('none', 'db', 'files', 'full')),
  reuse_hours   integer NOT NULL CHECK (reuse_hours BETWEEN 0 AND 168),
  UNIQUE NULLS NOT DISTINCT (workspace_id, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- What is to be done when; whoever claims a row does it.
CREATE TABLE turns (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  site_id       text,
  kind          text NOT NULL,
  due_at        timestamptz NOT NULL,
  UNIQUE NULLS NOT DISTINCT (workspace_id, site_id, kind),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
-- What is due of one kind, however much is overdue of another.
CREATE INDEX turns_due ON turns (kind, due_at);
