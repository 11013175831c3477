-- What the last trial of a backup brought out.
ALTER TABLE backups ADD COLUMN verification_report jsonb;
