-- Some of the files that a backup could not read, and of those that changed while they were read; null where there is no such file.

ALTER TABLE backups ADD COLUMN omitted jsonb;
