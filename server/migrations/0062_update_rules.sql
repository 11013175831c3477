-- Which updates are let through: by plugin, theme or WordPress, on all sites, on one, or on those with a tag.
CREATE TABLE update_rules (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            text NOT NULL,
  type          text NOT NULL CHECK (type IN ('plugin', 'theme', 'core', 'any')),
  slug          text, -- null: all of that type
  site_id       text,
  tag           text,
  allow         text NOT NULL CHECK (allow IN ('patch', 'minor', 'major', 'never')),
  delay_days    integer NOT NULL CHECK (delay_days BETWEEN 0 AND 90),
  set_by        jsonb NOT NULL,
  set_at        timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE NULLS NOT DISTINCT (workspace_id, type, slug, site_id, tag),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE,
  CHECK (site_id IS NULL OR tag IS NULL),
  CHECK (slug IS NULL OR type IN ('plugin', 'theme'))
);

-- Since when a version has been on offer on a site, as far as it was asked. Of each site for itself: what one says delays or hastens no other.
CREATE TABLE offered_versions (
  workspace_id   text NOT NULL,
  site_id        text NOT NULL,
  type           text NOT NULL,
  slug           text NOT NULL,
  version        text NOT NULL,
  first_seen_at  timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, site_id, type, slug, version),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX offered_versions_age ON offered_versions (first_seen_at);
