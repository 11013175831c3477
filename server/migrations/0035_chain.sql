-- The backups of a workspace are numbered, so that an older state that was put back shows.
ALTER TABLE workspaces ADD COLUMN chain bigint NOT NULL DEFAULT 0;
ALTER TABLE backups ADD COLUMN chain bigint;
