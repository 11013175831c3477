-- What a browser makes of sites' front pages, by Lighthouse.
CREATE TABLE lab_samples (
  workspace_id     text NOT NULL,
  id               text NOT NULL,
  site_id          text NOT NULL,
  collected_at     timestamptz NOT NULL,
  url              text NOT NULL,
  score            integer NOT NULL, -- of 100
  lcp_ms           integer NOT NULL,
  cls              double precision NOT NULL,
  tbt_ms           integer NOT NULL,
  runs             jsonb NOT NULL, -- the figures of each
  lighthouse       text NOT NULL,
  chromium         text NOT NULL,
  benchmark_index  integer NOT NULL, -- how fast the machine was, as Lighthouse sees it
  machine          text NOT NULL,
  pressure         integer, -- per cent of the time in which something waited for the processor before it began; null: the system does not say
  discarded        text, -- why it counts for nothing; null: it counts
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX lab_samples_site ON lab_samples (workspace_id, site_id, collected_at DESC);
CREATE INDEX lab_samples_machine ON lab_samples (workspace_id, machine, collected_at DESC);
CREATE INDEX lab_samples_age ON lab_samples (collected_at);
CREATE TRIGGER lab_samples_inserted AFTER INSERT ON lab_samples REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
