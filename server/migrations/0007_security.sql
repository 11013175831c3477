-- What is wrong with the security of the sites, since when, and what became of it.

CREATE TABLE findings (
  workspace_id    text NOT NULL,
  id              text NOT NULL,
  site_id         text NOT NULL,
  -- who looks for it: facts, integrity, outside, inventory, feed; each check belongs to one
  source          text NOT NULL,
  "check"         text NOT NULL,
  -- tells findings of one check apart; '' where there can be only one
  component_key   text NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('vulnerability', 'misconfiguration', 'integrity', 'outdated', 'exposure', 'account')),
  severity        text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info', 'unknown')),
  -- worst is highest; a severity nobody told may be anything
  rank            smallint NOT NULL GENERATED ALWAYS AS (CASE severity WHEN 'critical' THEN 6 WHEN 'high' THEN 5 WHEN 'medium' THEN 4
                    WHEN 'unknown' THEN 3 WHEN 'low' THEN 2 ELSE 1 END) STORED,
  title           text NOT NULL,
  description     text NOT NULL,
  component       jsonb, -- {type, slug, name, version}
  affected_range  text,
  fixed_in        text,
  cve             text,
  "references"    jsonb NOT NULL,
  fix             jsonb, -- {tweak_id} or {update}
  evidence        jsonb NOT NULL, -- lines of text
  status          text NOT NULL CHECK (status IN ('open', 'fixed', 'ignored')),
  -- what they are searched by, ready to compare
  slug            text GENERATED ALWAYS AS (component ->> 'slug') STORED,
  words           text NOT NULL GENERATED ALWAYS AS (lower(title || ' ' || coalesce(component ->> 'name', '') || ' '
                    || coalesce(component ->> 'slug', '') || ' ' || coalesce(cve, '') || ' ' || evidence::text)) STORED,
  first_seen_at   timestamptz NOT NULL,
  last_seen_at    timestamptz NOT NULL,
  fixed_at        timestamptz,
  ignored         jsonb, -- {reason, by, at}
  ignored_until   timestamptz, -- null: for good
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, site_id, "check", component_key),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX findings_worst ON findings (workspace_id, status, rank DESC, id DESC);
CREATE INDEX findings_open ON findings (workspace_id, site_id, rank DESC) WHERE status = 'open';
CREATE INDEX findings_slug ON findings (workspace_id, slug, status, rank DESC, id DESC);
CREATE INDEX findings_weights ON findings (workspace_id, "check", rank) WHERE status = 'open';
CREATE INDEX findings_expiring ON findings (ignored_until) WHERE status = 'ignored';

CREATE TABLE finding_events (
  workspace_id  text NOT NULL,
  finding_id    text NOT NULL,
  seq           bigint GENERATED ALWAYS AS IDENTITY,
  at            timestamptz NOT NULL,
  event         text NOT NULL CHECK (event IN ('opened', 'fixed', 'reopened', 'ignored', 'unignored', 'expired')),
  actor         jsonb, -- null: the service, by looking
  reason        text,
  PRIMARY KEY (workspace_id, finding_id, seq),
  FOREIGN KEY (workspace_id, finding_id) REFERENCES findings ON DELETE CASCADE
);

-- When each source last looked at a site; "never looked" is not "nothing found".
CREATE TABLE security_looks (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  source        text NOT NULL,
  checked_at    timestamptz, -- the last look that succeeded
  error         jsonb, -- {message, at} of a later one that did not
  PRIMARY KEY (workspace_id, site_id, source),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

CREATE TRIGGER findings_inserted AFTER INSERT ON findings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER findings_updated AFTER UPDATE ON findings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER security_looks_inserted AFTER INSERT ON security_looks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER security_looks_updated AFTER UPDATE ON security_looks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();

-- The administrators of the first look.
CREATE TABLE known_admins (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  user_id       bigint NOT NULL,
  login         text NOT NULL,
  -- there when the site was looked at for the first time
  baseline      boolean NOT NULL,
  seen_at       timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, site_id, user_id, login),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- Public facts, the same for everybody.
CREATE TABLE directory_answers (
  question    text PRIMARY KEY,
  answer      jsonb, -- null: the directory does not know
  fetched_at  timestamptz NOT NULL
);

-- What of a site was last compared with the feed of known vulnerabilities, so that only what has changed is compared again.
CREATE TABLE feed_looks (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  version       bigint NOT NULL, -- of the feed
  inventory_at  timestamptz NOT NULL,
  digest        text NOT NULL, -- of what was found
  PRIMARY KEY (workspace_id, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
