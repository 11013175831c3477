-- The installation, workspaces, tokens, the audit record, idempotency keys, budgets, and which processes hold tokens in memory.

-- What this installation must remember about itself, such as which master key everything is sealed under.
CREATE TABLE installation (
  fact   text PRIMARY KEY,
  value  text NOT NULL
);

CREATE TABLE workspaces (
  id          text PRIMARY KEY,
  name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  sealed_key  text NOT NULL,
  -- its backups are numbered, so that an older state that was put back shows
  chain       bigint NOT NULL DEFAULT 0,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX workspaces_name ON workspaces (lower(name));

CREATE TABLE users (
  id             text PRIMARY KEY,
  email          text NOT NULL,
  password_hash  text NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE members (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
  role          text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, user_id)
);

CREATE TABLE tokens (
  workspace_id   text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id             text NOT NULL,
  name           text NOT NULL,
  sha256         bytea NOT NULL UNIQUE,
  prefix         text NOT NULL,
  scope          text NOT NULL CHECK (scope IN ('read', 'write')),
  approval_only  boolean NOT NULL DEFAULT false,
  created_by     text,
  created_at     timestamptz NOT NULL,
  expires_at     timestamptz,
  last_used_at   timestamptz,
  revoked_at     timestamptz,
  -- somebody is revoking it: it counts until revoked_at is set, but no node may keep it in memory any more
  revoking       boolean NOT NULL DEFAULT false,
  PRIMARY KEY (workspace_id, id)
);

-- One row per running process that keeps tokens in memory. A revocation waits for each live one to let go.
CREATE UNLOGGED TABLE nodes (
  id           text PRIMARY KEY,
  lease_until  timestamptz NOT NULL,
  acked        bigint NOT NULL DEFAULT 0
);
CREATE SEQUENCE revocations;

CREATE TABLE idempotency_keys (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  caller_id     text NOT NULL,
  operation     text NOT NULL,
  key           text NOT NULL,
  digest        text NOT NULL,
  response      text,
  finished      boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, caller_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE TABLE audit (
  workspace_id  text NOT NULL,
  at            timestamptz NOT NULL,
  seq           bigint GENERATED ALWAYS AS IDENTITY,
  caller_type   text NOT NULL,
  caller_id     text NOT NULL,
  operation     text NOT NULL,
  face          text NOT NULL,
  outcome       text NOT NULL,
  request_id    text NOT NULL,
  site_id       text,
  PRIMARY KEY (workspace_id, seq)
);
CREATE INDEX audit_at ON audit (workspace_id, at);
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the audit record is append-only'; END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
-- A trigger for each row hears nothing of TRUNCATE.
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

-- What tokens may not do without end.
CREATE TABLE budgets (
  workspace_id text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  name         text NOT NULL,
  uses         timestamptz[] NOT NULL, -- of the last hour, and older ones until the next use
  told_at      timestamptz, -- when it was last told that it is used up
  PRIMARY KEY (workspace_id, name)
);
