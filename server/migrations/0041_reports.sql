-- Reports for clients: drafts, which people note things on, and what was published, which stays as it was.

CREATE TABLE reports (
  workspace_id   text NOT NULL,
  id             text NOT NULL,
  client_id      text NOT NULL,
  -- all versions of one report have the id of the first; a link leads to the newest of them that is published
  root_id        text NOT NULL,
  version        integer NOT NULL DEFAULT 1,
  correction     text, -- what is otherwise than in the version before, in a person's words
  status         text NOT NULL CHECK (status IN ('draft', 'published')),
  period_from    timestamptz NOT NULL,
  period_to      timestamptz NOT NULL,
  facts          jsonb NOT NULL, -- figures, in no language
  notes          jsonb NOT NULL DEFAULT '{}', -- by section: {text, by}
  hidden         text[] NOT NULL DEFAULT '{}',
  -- published and mailed by itself then, while it is a draft
  send_at        timestamptz,
  created_by     jsonb NOT NULL,
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  -- what was published, byte for byte
  html           bytea,
  digest         text, -- SHA-256 of it
  published_by   jsonb,
  published_at   timestamptz,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, root_id, version),
  FOREIGN KEY (workspace_id, client_id) REFERENCES clients ON DELETE CASCADE,
  CHECK (period_from < period_to),
  CHECK ((status = 'published') = (html IS NOT NULL AND digest IS NOT NULL AND published_at IS NOT NULL))
);
CREATE INDEX reports_of_client ON reports (workspace_id, client_id, id DESC);
CREATE INDEX reports_to_send ON reports (send_at) WHERE status = 'draft' AND send_at IS NOT NULL;

-- What was published is never written again, whoever tries.
CREATE FUNCTION keep_published() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a published report stays as it is';
END $$;
CREATE TRIGGER reports_published BEFORE UPDATE ON reports FOR EACH ROW WHEN (OLD.status = 'published') EXECUTE FUNCTION keep_published();

-- Made once of what was published.
CREATE TABLE report_files (
  workspace_id  text NOT NULL,
  report_id     text NOT NULL,
  bytes         bytea NOT NULL, -- the PDF
  made_at       timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, report_id),
  FOREIGN KEY (workspace_id, report_id) REFERENCES reports ON DELETE CASCADE
);

-- Private links. The secret itself is kept nowhere.
CREATE TABLE report_links (
  workspace_id   text NOT NULL,
  id             text NOT NULL,
  root_id        text NOT NULL,
  sha256         bytea NOT NULL UNIQUE,
  created_by     jsonb NOT NULL,
  created_at     timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL,
  revoked_at     timestamptz,
  visits         integer NOT NULL DEFAULT 0,
  last_visit_at  timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, root_id) REFERENCES reports (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX report_links_of ON report_links (workspace_id, root_id, id);
CREATE INDEX report_links_age ON report_links (expires_at);

-- Whose reports these seem to be. One row for each workspace that said so.
CREATE TABLE report_settings (
  workspace_id      text PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
  sender            text, -- null: the name of the workspace
  reply_to          text,
  link_base         text, -- null: the service's own address
  mentions_product  boolean NOT NULL DEFAULT false
);

-- A person said that reports show it; what the service wrote itself is told by its figures otherwise.
ALTER TABLE activity ADD COLUMN chosen boolean NOT NULL DEFAULT false;
