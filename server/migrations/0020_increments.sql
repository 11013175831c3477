-- A backup that takes over what did not move since an earlier one.

ALTER TABLE backups
  ADD COLUMN parent        text,
  -- 0: every file was read; n: the n-th since then that read only what had moved
  ADD COLUMN increment     integer,
  ADD COLUMN files_changed integer;
