-- Updates of many sites in waves. Each site's work is an ordinary job; these rows say which, and what became of it.

CREATE TABLE rollouts (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            text NOT NULL,
  status        text NOT NULL CHECK (status IN ('running', 'stopping', 'completed', 'stopped', 'canceled')),
  input         jsonb NOT NULL,
  -- the wave under way; 0 before the first
  wave          integer NOT NULL DEFAULT 0,
  waves         integer NOT NULL,
  -- why no further wave begins, and what it is called when the last running site has ended
  reason        text,
  ending        text CHECK (ending IN ('stopped', 'canceled')),
  requested_by  jsonb NOT NULL,
  created_at    timestamptz NOT NULL,
  completed_at  timestamptz,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX rollouts_open ON rollouts (created_at) WHERE status IN ('running', 'stopping');

CREATE TABLE rollout_sites (
  workspace_id  text NOT NULL,
  rollout_id    text NOT NULL,
  site_id       text NOT NULL,
  -- null: left out from the beginning
  wave          integer,
  place         integer NOT NULL,
  status        text NOT NULL CHECK (status IN
    ('waiting', 'running', 'updated', 'already_current', 'rolled_back', 'failed', 'skipped', 'not_started')),
  job_id        text,
  reason        text,
  PRIMARY KEY (workspace_id, rollout_id, site_id),
  FOREIGN KEY (workspace_id, rollout_id) REFERENCES rollouts ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
