-- What tokens may not do without end, looks that are shared, and how many backups were kept before that was lowered.

CREATE TABLE budgets (
  workspace_id text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  name         text NOT NULL,
  uses         timestamptz[] NOT NULL, -- of the last hour, and older ones until the next use
  told_at      timestamptz, -- when it was last told that it is used up
  PRIMARY KEY (workspace_id, name)
);

-- A look at a site that tokens share for a minute.
CREATE TABLE live_looks (
  workspace_id text NOT NULL,
  site_id      text NOT NULL,
  kind         text NOT NULL,
  begun_at     timestamptz NOT NULL,
  ended_at     timestamptz, -- of the look that was begun then
  answer       jsonb, -- what it brought, where that is kept nowhere else
  error        jsonb, -- why it brought nothing
  PRIMARY KEY (workspace_id, site_id, kind),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- Without numbers every backup is kept.
ALTER TABLE schedules ALTER COLUMN keep_daily DROP NOT NULL, ALTER COLUMN keep_weekly DROP NOT NULL, ALTER COLUMN keep_monthly DROP NOT NULL;

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
