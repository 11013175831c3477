-- What a backup holds from outside of WordPress's own folders, and how much there leads to what it does not hold. Null: nobody looked.
ALTER TABLE backups ADD COLUMN outside_count integer, ADD COLUMN roots jsonb;
