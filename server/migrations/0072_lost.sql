-- What of a damaged backup is lost: how many files and tables, and some of them by name; null where nothing is known of that.

ALTER TABLE backups ADD COLUMN lost jsonb;
