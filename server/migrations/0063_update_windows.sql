-- When everything that the rules let through is updated by itself.
CREATE TABLE update_windows (
  workspace_id        text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id                  text NOT NULL,
  tag                 text, -- null: all sites
  weekday             integer CHECK (weekday BETWEEN 0 AND 6), -- 0: Sunday; null: every day
  at                  text NOT NULL, -- HH:MM, UTC
  first_wave          integer NOT NULL,
  wave_size           integer NOT NULL,
  stop_above_percent  integer NOT NULL,
  set_by              jsonb NOT NULL,
  created_at          timestamptz NOT NULL,
  next_at             timestamptz NOT NULL,
  last_at             timestamptz,
  last_rollout_id     text,
  last_reason         text,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX update_windows_due ON update_windows (next_at);
