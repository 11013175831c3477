-- When sites are backed up by themselves, and how long backups are kept.

CREATE TABLE schedules (
  workspace_id    text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  site_id         text, -- null: all sites that have none of their own
  enabled         boolean NOT NULL,
  type            text NOT NULL CHECK (type IN ('full', 'db', 'files')),
  at              text NOT NULL CHECK (at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'), -- UTC
  spread_minutes  integer NOT NULL CHECK (spread_minutes BETWEEN 0 AND 1440),
  keep_daily      integer NOT NULL CHECK (keep_daily >= 1),
  keep_weekly     integer NOT NULL CHECK (keep_weekly >= 0),
  keep_monthly    integer NOT NULL CHECK (keep_monthly >= 0),
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
CREATE INDEX turns_due ON turns (due_at);

-- It holds far less than the one before, so nothing older is deleted on its account.
ALTER TABLE backups ADD COLUMN suspect boolean NOT NULL DEFAULT false;
