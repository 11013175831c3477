-- A rollout may be of other work than updates: backups, protections.
ALTER TABLE rollouts ADD COLUMN kind text NOT NULL DEFAULT 'update';
ALTER TABLE rollout_sites DROP CONSTRAINT rollout_sites_status_check;
ALTER TABLE rollout_sites ADD CONSTRAINT rollout_sites_status_check CHECK (status IN
  ('waiting', 'running', 'updated', 'done', 'partly', 'already_current', 'rolled_back', 'failed', 'skipped', 'not_started'));
