-- What was found out once of a backup's download: its length, and where in it its parts begin. Null: nobody has looked yet.
ALTER TABLE backups ADD COLUMN tar_map jsonb;

-- A pack is forgotten by a later look than the one that condemned it: the time of that tells.
ALTER TABLE packs DROP COLUMN cycles;
