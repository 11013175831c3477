-- Rows of a site that were too large for a backup: how many, of which tables, some of them in words; null where none is missing.

ALTER TABLE backups ADD COLUMN skipped_rows jsonb;
