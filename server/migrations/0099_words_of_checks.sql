-- What held of the checks of a site until a time: how those that failed did, and until when its certificate was good. What holds now stands in uptime_monitors.
CREATE TABLE uptime_earlier (
  workspace_id         text NOT NULL,
  site_id              text NOT NULL,
  location             text NOT NULL,
  until                timestamptz NOT NULL,
  error                jsonb, -- {kind, message}
  certificate_ends_at  timestamptz,
  PRIMARY KEY (workspace_id, site_id, location, until),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX uptime_earlier_age ON uptime_earlier (until);

ALTER TABLE lab_samples ADD COLUMN fcp_ms integer; -- null: of a run before this was kept

-- On which page an error was met, without its query, and by which PHP; null: not known, as of what stands in a log alone.
ALTER TABLE php_errors ADD COLUMN path text;
ALTER TABLE php_errors ADD COLUMN php_version text;
