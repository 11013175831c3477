-- Backups and the index of the packs that hold their bytes.

CREATE TABLE backups (
  workspace_id      text NOT NULL,
  id                text NOT NULL,
  site_id           text NOT NULL,
  job_id            text NOT NULL,
  type              text NOT NULL CHECK (type IN ('full', 'db', 'files')),
  status            text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'canceled')),
  trigger           text NOT NULL,
  requested_by      jsonb NOT NULL,
  size_bytes        bigint,
  stored_bytes      bigint,
  files_count       integer,
  tables_count      integer,
  rows_count        bigint,
  consistency       text,
  excluded          jsonb,
  unreadable_count  integer,
  changed_count     integer,
  manifest          text,
  wp_version        text,
  error             jsonb,
  verified_at       timestamptz,
  verification      text,
  expires_at        timestamptz,
  created_at        timestamptz NOT NULL,
  completed_at      timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX backups_site ON backups (workspace_id, site_id, created_at DESC);

CREATE TABLE packs (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            bytea NOT NULL, -- SHA-256 of its bytes
  salt          bytea NOT NULL,
  bytes         bigint NOT NULL,
  created_at    timestamptz NOT NULL,
  condemned_at  timestamptz,
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE blobs (
  workspace_id  text NOT NULL,
  id            bytea NOT NULL, -- HMAC-SHA256 of the plain bytes under the workspace's id key
  pack_id       bytea NOT NULL,
  type          text NOT NULL,
  slot          integer NOT NULL,
  "offset"      integer NOT NULL,
  length        integer NOT NULL,
  plain_length  integer NOT NULL,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, pack_id) REFERENCES packs ON DELETE CASCADE
);
CREATE INDEX blobs_pack ON blobs (workspace_id, pack_id);
