-- PHP errors of the sites, each kind once, with what became of it.

CREATE TABLE php_errors (
  workspace_id         text NOT NULL,
  id                   text NOT NULL,
  site_id              text NOT NULL,
  fingerprint          text NOT NULL,
  fingerprint_version  smallint NOT NULL, -- another way to make it does not split what there is
  level                text NOT NULL CHECK (level IN ('fatal', 'warning', 'notice', 'deprecated')),
  -- worst is highest
  rank                 smallint NOT NULL GENERATED ALWAYS AS (CASE level WHEN 'fatal' THEN 4 WHEN 'warning' THEN 3 WHEN 'notice' THEN 2 ELSE 1 END) STORED,
  message              text NOT NULL,
  file                 text NOT NULL,
  lines                integer[] NOT NULL, -- where in it, the last one first; an update moves them
  component            jsonb NOT NULL, -- {type, slug}
  version              text, -- of the component, when it was first seen; null: not known
  frames               jsonb NOT NULL,
  status               text NOT NULL CHECK (status IN ('open', 'resolved', 'muted')),
  -- two ways to see the same: by the handler, and in the log of the site
  captured             bigint NOT NULL,
  logged               bigint NOT NULL,
  first_seen_at        timestamptz NOT NULL,
  last_seen_at         timestamptz NOT NULL,
  after_job_id         text, -- what last changed the site before it was first seen
  resolved             jsonb, -- {by, at}
  muted                jsonb, -- {reason, by, at}
  regressed_at         timestamptz, -- when it came again after it was resolved
  alarms               integer NOT NULL DEFAULT 0, -- how often people were to be told
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, site_id, fingerprint, fingerprint_version),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX php_errors_worst ON php_errors (workspace_id, status, rank DESC, last_seen_at DESC, id DESC);
CREATE INDEX php_errors_age ON php_errors (last_seen_at);

-- How far each file of a site was counted, so that what is told twice counts once; gone when the site tells it no more.
CREATE TABLE php_error_sources (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  source        text NOT NULL,
  error_id      text NOT NULL,
  counted       bigint NOT NULL,
  PRIMARY KEY (workspace_id, site_id, source),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- When each site was last asked, and where to go on. Written with each answer; nobody is told.
CREATE TABLE php_error_collections (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  seq           bigint NOT NULL DEFAULT 0, -- goes up with each answer that was written down
  since         timestamptz, -- the first answer
  collected_at  timestamptz, -- the last one
  error         jsonb, -- {message, at} of a later attempt that failed
  capturing     boolean,
  is_full       boolean NOT NULL DEFAULT false,
  log_read      jsonb, -- {inode, offset}
  to_drop       jsonb NOT NULL DEFAULT '[]', -- what the site may let go
  PRIMARY KEY (workspace_id, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- One site has changed in a way that its row shows.
CREATE FUNCTION announce_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('svc_sites', NEW.workspace_id || ' ' || NEW.site_id);
  RETURN NULL;
END $$;
CREATE TRIGGER php_errors_inserted AFTER INSERT ON php_errors REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER php_errors_moved AFTER UPDATE OF status ON php_errors FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION announce_site();
CREATE TRIGGER php_error_collections_begun AFTER UPDATE OF since ON php_error_collections FOR EACH ROW WHEN (OLD.since IS NULL AND NEW.since IS NOT NULL) EXECUTE FUNCTION announce_site();

CREATE TRIGGER php_errors_alarming AFTER INSERT ON php_errors FOR EACH ROW WHEN (NEW.alarms > 0) EXECUTE FUNCTION note_happening('fatal_error');
CREATE TRIGGER php_errors_alarming_again AFTER UPDATE OF alarms ON php_errors FOR EACH ROW WHEN (NEW.alarms > OLD.alarms) EXECUTE FUNCTION note_happening('fatal_error_again');

-- What changes a site brings errors with it: they are asked for when it has ended.
CREATE FUNCTION hasten_php_errors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE turns SET due_at = least(due_at, NEW.completed_at) WHERE workspace_id = NEW.workspace_id AND site_id = NEW.site_id AND kind = 'errors';
  RETURN NULL;
END $$;
CREATE TRIGGER jobs_hasten_php_errors AFTER UPDATE OF status ON jobs FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('completed', 'failed') AND NEW.type IN ('update', 'restore', 'undo_restore', 'tweak') AND NEW.site_id IS NOT NULL)
  EXECUTE FUNCTION hasten_php_errors();
