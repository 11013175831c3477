-- What was found out once of a backup's download: its length, and where in it its parts begin. Null: nobody has looked yet.
ALTER TABLE backups ADD COLUMN tar_map jsonb;
