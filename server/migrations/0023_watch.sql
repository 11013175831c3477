-- What is known of a pack since it was written.

ALTER TABLE packs
  -- when all of it was last read back
  ADD COLUMN read_at timestamptz,
  -- why it cannot be relied on; null: nothing is known to be wrong
  ADD COLUMN damage  text;
