-- Sites, their keys, enrolment codes and what was found on them.

CREATE TABLE enrolment_codes (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  hint          text NOT NULL UNIQUE,
  sealed_key    text NOT NULL,
  host          text,
  created_by    text,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  used_at       timestamptz,
  tries         integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, hint)
);

CREATE TABLE sites (
  workspace_id       text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id                 text NOT NULL,
  name               text NOT NULL,
  url                text NOT NULL,
  home               text NOT NULL,
  status             text NOT NULL CHECK (status IN ('pending', 'connected', 'unreachable', 'disconnected', 'clone_detected', 'paused')),
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
CREATE INDEX sites_host ON sites (workspace_id, lower(url));
