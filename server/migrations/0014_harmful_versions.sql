-- Versions that an update took back from a site, because they broke it.
CREATE TABLE harmful_versions (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  type          text NOT NULL,
  slug          text NOT NULL,
  version       text NOT NULL,
  reason        text NOT NULL, -- a sentence of ours
  taken_back_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, type, slug, version, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX harmful_versions_site ON harmful_versions (workspace_id, site_id);
CREATE INDEX harmful_versions_age ON harmful_versions (taken_back_at);
