-- Whether sites answer: how they are looked at, what is known of each, and what it was like for years. Looks never touch `sites`.

-- What is null is as the workspace has it, and there as usual.
CREATE TABLE uptime_settings (
  workspace_id   text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  site_id        text, -- null: all sites, where they say nothing themselves
  enabled        boolean,
  interval_s     integer CHECK (interval_s BETWEEN 30 AND 3600),
  path           text,
  statuses       integer[],
  text_wanted    text,
  text_refused   text,
  recovery_s     integer CHECK (recovery_s BETWEEN 0 AND 3600),
  UNIQUE NULLS NOT DISTINCT (workspace_id, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- What is looked at each time. The samples of the hour at work lie here; when it is over they are put away whole.
CREATE TABLE uptime_monitors (
  workspace_id         text NOT NULL,
  site_id              text NOT NULL,
  location             text NOT NULL, -- where is looked from
  checked_at           timestamptz,
  hour                 timestamptz,
  samples              bytea NOT NULL DEFAULT '',
  response_ms          integer,
  http_status          integer,
  error                jsonb, -- {kind, message} of the last check
  good_since           timestamptz, -- answering again, but not yet long enough to be up
  app_checked_at       timestamptz, -- when WordPress itself was last asked
  app_misses           smallint NOT NULL DEFAULT 0, -- how often in a row it did not answer
  connector_misses     smallint NOT NULL DEFAULT 0,
  addresses            jsonb, -- {address: when DNS last gave it}
  certificate_ends_at  timestamptz,
  PRIMARY KEY (workspace_id, site_id, location),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
) WITH (fillfactor = 40);

-- What changes seldom, so that a look that finds nothing new is told to nobody. Null: not known.
CREATE TABLE uptime_states (
  workspace_id     text NOT NULL,
  site_id          text NOT NULL,
  location         text NOT NULL,
  up               boolean,
  app_up           boolean,
  connector_silent boolean,
  since            timestamptz NOT NULL, -- of `up`
  PRIMARY KEY (workspace_id, site_id, location),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE TRIGGER uptime_states_inserted AFTER INSERT ON uptime_states REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER uptime_states_updated AFTER UPDATE ON uptime_states REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();

CREATE TABLE uptime_incidents (
  workspace_id  text NOT NULL,
  id            text NOT NULL,
  site_id       text NOT NULL,
  location      text NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('down', 'app_down', 'connector_silent')),
  cause         text NOT NULL, -- dns, connect, tls, timeout, http, content, protocol, connector
  message       text NOT NULL, -- a sentence of ours
  http_status   integer,
  started_at    timestamptz NOT NULL,
  ended_at      timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE UNIQUE INDEX uptime_incidents_open ON uptime_incidents (workspace_id, site_id, location, kind) WHERE ended_at IS NULL;
CREATE INDEX uptime_incidents_newest ON uptime_incidents (workspace_id, started_at DESC, id DESC);
CREATE INDEX uptime_incidents_site ON uptime_incidents (workspace_id, site_id, started_at DESC, id DESC);

-- New addresses of a site in DNS.
CREATE TABLE uptime_moves (
  workspace_id  text NOT NULL,
  id            text NOT NULL,
  site_id       text NOT NULL,
  seen_at       timestamptz NOT NULL,
  before        text[] NOT NULL,
  after         text[] NOT NULL,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX uptime_moves_site ON uptime_moves (workspace_id, site_id, seen_at DESC);
CREATE INDEX uptime_moves_age ON uptime_moves (seen_at);

-- When failures are meant.
CREATE TABLE uptime_windows (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            text NOT NULL,
  site_id       text, -- null: all sites
  starts_at     timestamptz NOT NULL,
  ends_at       timestamptz NOT NULL,
  reason        text NOT NULL,
  requested_by  jsonb NOT NULL,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX uptime_windows_open ON uptime_windows (workspace_id, ends_at);
CREATE INDEX uptime_windows_age ON uptime_windows (ends_at);

-- Every check of an hour, packed and compressed (uptime/samples.ts).
CREATE TABLE uptime_samples (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  location      text NOT NULL,
  hour          timestamptz NOT NULL,
  samples       bytea NOT NULL,
  PRIMARY KEY (workspace_id, site_id, location, hour),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX uptime_samples_age ON uptime_samples (hour);

-- What came of them. `checks` are those that count; `excluded` ones say nothing about the site.
CREATE TABLE uptime_hours (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  location      text NOT NULL,
  hour          timestamptz NOT NULL,
  checks        integer NOT NULL,
  ups           integer NOT NULL,
  excluded      integer NOT NULL,
  ms_sum        bigint NOT NULL,
  ms_histogram  integer[] NOT NULL, -- how many answers in each bucket of samples.ts
  PRIMARY KEY (workspace_id, site_id, location, hour),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX uptime_hours_age ON uptime_hours (hour);
CREATE TABLE uptime_days (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  location      text NOT NULL,
  day           timestamptz NOT NULL, -- its beginning in UTC
  checks        integer NOT NULL,
  ups           integer NOT NULL,
  excluded      integer NOT NULL,
  ms_sum        bigint NOT NULL,
  ms_histogram  integer[] NOT NULL,
  PRIMARY KEY (workspace_id, site_id, location, day),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX uptime_days_age ON uptime_days (day);
