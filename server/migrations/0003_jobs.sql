-- What the user sees of work that outlives a request. The queue itself is pg-boss's, in its own schema.

CREATE TABLE jobs (
  workspace_id   text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id             text NOT NULL,
  type           text NOT NULL,
  site_id        text,
  status         text NOT NULL CHECK (status IN ('awaiting_approval', 'queued', 'running', 'completed', 'failed', 'canceled')),
  phase          text,
  progress       jsonb,
  attempt        integer NOT NULL DEFAULT 0,
  -- attempts that failed, apart from those that were killed or stopped: they have a budget of their own
  failures       integer NOT NULL DEFAULT 0,
  -- the attempt that may write; a higher one has taken over
  fence          integer NOT NULL DEFAULT 0,
  cancel_asked   boolean NOT NULL DEFAULT false,
  requested_by   jsonb NOT NULL,
  input          jsonb NOT NULL,
  result         jsonb,
  error          jsonb,
  created_at     timestamptz NOT NULL,
  started_at     timestamptz,
  completed_at   timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
-- The sweep of each minute, and whatever looks for work under way.
CREATE INDEX jobs_open ON jobs (workspace_id, id) WHERE status IN ('queued', 'running');
-- Lists are sorted by id, with or without one of these filters.
CREATE INDEX jobs_status ON jobs (workspace_id, status, id);
CREATE INDEX jobs_type ON jobs (workspace_id, type, id);
CREATE INDEX jobs_site ON jobs (workspace_id, site_id, id);

CREATE TABLE job_steps (
  workspace_id  text NOT NULL,
  job_id        text NOT NULL,
  name          text NOT NULL,
  -- what a later attempt continues from
  state         jsonb,
  finished_at   timestamptz,
  PRIMARY KEY (workspace_id, job_id, name),
  FOREIGN KEY (workspace_id, job_id) REFERENCES jobs ON DELETE CASCADE
);

CREATE TABLE activity (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            text NOT NULL,
  site_id       text,
  kind          text NOT NULL CHECK (kind IN ('event', 'maintenance')),
  category      text NOT NULL,
  summary       text NOT NULL CHECK (length(summary) BETWEEN 1 AND 200),
  notes         text CHECK (length(notes) <= 2000),
  performed_at  timestamptz NOT NULL,
  performed_by  text,
  internal      boolean NOT NULL,
  in_reports    boolean NOT NULL,
  actor         jsonb NOT NULL,
  source        text NOT NULL,
  job_id        text,
  created_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX activity_recent ON activity (workspace_id, performed_at DESC, id DESC);
CREATE INDEX activity_site ON activity (workspace_id, site_id, performed_at DESC, id DESC);
