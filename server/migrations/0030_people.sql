-- People: their sessions, the browsers they are known by, guesses at passwords, ways back in, invitations; and a role that only looks.

ALTER TABLE members DROP CONSTRAINT members_role_check;
ALTER TABLE members ADD CONSTRAINT members_role_check CHECK (role IN ('owner', 'admin', 'member', 'viewer'));
CREATE INDEX members_of_user ON members (user_id);

CREATE TABLE sessions (
  id          text PRIMARY KEY,
  sha256      bytea NOT NULL UNIQUE,
  user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
  -- the workspace it shows; whether the person may see it is asked with every request
  looks_at    text REFERENCES workspaces ON DELETE SET NULL,
  address     text NOT NULL,
  agent       text NOT NULL,
  begun_at    timestamptz NOT NULL,
  seen_at     timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  ended_at    timestamptz
);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_age ON sessions (expires_at);

-- Browsers in which somebody signed in before: what strangers try does not count against them.
CREATE TABLE devices (
  sha256   bytea NOT NULL,
  user_id  text NOT NULL REFERENCES users ON DELETE CASCADE,
  seen_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, sha256)
);
CREATE INDEX devices_age ON devices (seen_at);

-- When passwords were tried lately, by the SHA-256 of what they were tried for: whether there is such an account makes no difference.
CREATE UNLOGGED TABLE guesses (
  sha256  bytea PRIMARY KEY,
  uses    timestamptz[] NOT NULL,
  at      timestamptz NOT NULL
);
CREATE INDEX guesses_age ON guesses (at);

-- Links that let a person choose a new password.
CREATE TABLE recoveries (
  sha256      bytea PRIMARY KEY,
  user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX recoveries_of_user ON recoveries (user_id);
CREATE INDEX recoveries_age ON recoveries (expires_at);

CREATE TABLE invitations (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            text NOT NULL,
  sha256        bytea NOT NULL UNIQUE,
  email         text NOT NULL,
  role          text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  invited_by    text NOT NULL,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX invitations_age ON invitations (expires_at);
