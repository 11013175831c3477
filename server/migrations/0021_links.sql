-- Links of the sites that lead nowhere, and the scans that look for them.

CREATE TABLE link_scans (
  workspace_id   text NOT NULL,
  job_id         text NOT NULL,
  site_id        text NOT NULL,
  started_at     timestamptz NOT NULL,
  completed_at   timestamptz,
  pages          integer NOT NULL DEFAULT 0,
  links          integer NOT NULL DEFAULT 0,
  limit_reached  text, -- pages, links or time
  PRIMARY KEY (workspace_id, job_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX link_scans_site ON link_scans (workspace_id, site_id, started_at DESC);
CREATE INDEX link_scans_age ON link_scans (started_at);
CREATE TRIGGER link_scans_updated AFTER UPDATE ON link_scans REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();

-- What a scan at work has seen, so that another attempt goes on from there; gone when it ends.
CREATE TABLE link_scan_urls (
  workspace_id  text NOT NULL,
  job_id        text NOT NULL,
  url           text NOT NULL,
  is_page       boolean NOT NULL, -- to be read for its links, and not only asked for
  is_done       boolean NOT NULL, -- it was read, or asked for
  verdict       jsonb, -- null: not asked yet
  places        jsonb NOT NULL, -- the first twenty
  places_count  integer NOT NULL,
  PRIMARY KEY (workspace_id, job_id, url),
  FOREIGN KEY (workspace_id, job_id) REFERENCES link_scans ON DELETE CASCADE
);

CREATE TABLE broken_links (
  workspace_id     text NOT NULL,
  id               text NOT NULL,
  site_id          text NOT NULL,
  url              text NOT NULL,
  is_internal      boolean NOT NULL,
  confidence       text NOT NULL CHECK (confidence IN ('broken', 'suspect', 'blocked')),
  -- worst is highest
  rank             smallint NOT NULL GENERATED ALWAYS AS (CASE confidence WHEN 'broken' THEN 3 WHEN 'suspect' THEN 2 ELSE 1 END) STORED,
  reason           text NOT NULL,
  status_code      integer,
  places           jsonb NOT NULL,
  places_count     integer NOT NULL,
  first_seen_at    timestamptz NOT NULL,
  last_checked_at  timestamptz NOT NULL,
  ignored          jsonb, -- {reason, by, at}
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, site_id, url),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX broken_links_worst ON broken_links (workspace_id, rank DESC, id DESC);
CREATE TRIGGER broken_links_updated AFTER UPDATE ON broken_links REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
