-- Sites, their keys, the codes they join with, looks at them, and how their changes are announced.

CREATE TABLE sites (
  workspace_id       text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id                 text NOT NULL,
  name               text NOT NULL,
  url                text NOT NULL,
  home               text NOT NULL,
  status             text NOT NULL CHECK (status IN ('pending', 'connected', 'unreachable', 'disconnected', 'clone_detected', 'paused')),
  -- nobody has answered for it: true from the enrolment of a new site until its first hello
  unproven           boolean NOT NULL DEFAULT false,
  tags               text[] NOT NULL DEFAULT '{}',
  client             text,
  wp_version         text,
  php_version        text,
  connector_version  text,
  server_software    text,
  is_multisite       boolean,
  is_ssl             boolean,
  active_theme       text,
  install_id         text,
  hello              jsonb,
  -- talking to it
  keyid              text NOT NULL,
  service_public     text NOT NULL,
  sealed_service_key text NOT NULL,
  site_public        text NOT NULL,
  -- what a rotation is bringing in, from before the site hears of it until the site has used it
  next_key           jsonb,
  door               text,
  mode               text,
  skew_s             integer NOT NULL DEFAULT 0,
  slice_bytes        integer,
  latency_ms         integer,
  last_seen_at       timestamptz,
  last_error         jsonb,
  -- inventory
  inventory          jsonb,
  inventory_at       timestamptz,
  updates_core       integer NOT NULL DEFAULT 0,
  updates_plugins    integer NOT NULL DEFAULT 0,
  updates_themes     integer NOT NULL DEFAULT 0,
  created_at         timestamptz NOT NULL,
  updated_at         timestamptz NOT NULL,
  synced_at          timestamptz,
  PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX sites_id ON sites (id);

CREATE TABLE enrolment_codes (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  hint          text NOT NULL UNIQUE,
  sealed_key    text NOT NULL,
  host          text,
  site_id       text, -- made for this one; without it pairs only addresses that are no site yet
  created_by    text,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  used_at       timestamptz,
  tries         integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, hint),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- A look at a site that tokens share for a minute.
CREATE TABLE live_looks (
  workspace_id text NOT NULL,
  site_id      text NOT NULL,
  kind         text NOT NULL,
  begun_at     timestamptz NOT NULL,
  ended_at     timestamptz, -- of the look that was begun then
  answer       jsonb, -- what it brought, where that is kept nowhere else
  error        jsonb, -- why it brought nothing
  PRIMARY KEY (workspace_id, site_id, kind),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- Every change of a site or of its backups tells all nodes which site to read again; a change of very many, which workspace.
CREATE FUNCTION announce_sites() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  site_column text := CASE TG_TABLE_NAME WHEN 'sites' THEN 'id' ELSE 'site_id' END;
BEGIN
  IF (SELECT count(*) FROM changed) > 100 THEN
    PERFORM pg_notify('svc_sites', w.workspace_id) FROM (SELECT DISTINCT workspace_id FROM changed) w;
  ELSE
    PERFORM pg_notify('svc_sites', c.workspace_id || ' ' || (to_jsonb(c) ->> site_column)) FROM changed c;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER sites_inserted AFTER INSERT ON sites REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER sites_updated AFTER UPDATE ON sites REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER sites_deleted AFTER DELETE ON sites REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
