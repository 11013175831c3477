-- What findings are searched by, ready to compare.

ALTER TABLE findings
  ADD COLUMN slug  text GENERATED ALWAYS AS (component ->> 'slug') STORED,
  ADD COLUMN words text NOT NULL GENERATED ALWAYS AS (lower(title || ' ' || coalesce(component ->> 'name', '') || ' '
    || coalesce(component ->> 'slug', '') || ' ' || coalesce(cve, '') || ' ' || evidence::text)) STORED;
CREATE INDEX findings_slug ON findings (workspace_id, slug, status, rank DESC, id DESC);
CREATE INDEX findings_weights ON findings (workspace_id, "check", rank) WHERE status = 'open';
