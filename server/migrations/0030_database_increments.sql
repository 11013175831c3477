-- A backup that takes over the ranges of tables that are as an earlier one holds them.

ALTER TABLE backups
  -- 0: all rows were read; n: the n-th since then that read only ranges that had moved
  ADD COLUMN database_increment integer,
  ADD COLUMN rows_read          bigint,
  ADD COLUMN fuzzy_tables       jsonb,
  ADD COLUMN whole_tables       jsonb;
