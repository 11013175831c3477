-- How fast sites answer and how much their front page weighs.
CREATE TABLE performance_samples (
  workspace_id   text NOT NULL,
  id             text NOT NULL,
  site_id        text NOT NULL,
  url            text NOT NULL,
  source         text NOT NULL CHECK (source IN ('probe', 'lab')),
  collected_at   timestamptz NOT NULL,
  ttfb_ms        integer NOT NULL, -- without looking up the name, connecting and TLS
  dns_ms         integer,
  connect_ms     integer,
  tls_ms         integer,
  total_ms       integer NOT NULL,
  html_bytes     integer NOT NULL, -- as it was sent
  compression    text, -- br or gzip; null: none
  page_bytes     bigint, -- with everything that the HTML names; null: some of it would not say
  requests       integer NOT NULL,
  cache_status   text CHECK (cache_status IN ('hit', 'miss')), -- null: nothing said
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX performance_samples_site ON performance_samples (workspace_id, site_id, source, collected_at DESC);
CREATE INDEX performance_samples_age ON performance_samples (collected_at);
CREATE TRIGGER performance_samples_inserted AFTER INSERT ON performance_samples REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
