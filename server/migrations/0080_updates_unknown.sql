-- null: the site never got an answer when it asked what is on offer, so nobody knows what waits there.
ALTER TABLE sites ALTER COLUMN updates_core DROP NOT NULL, ALTER COLUMN updates_plugins DROP NOT NULL, ALTER COLUMN updates_themes DROP NOT NULL;
UPDATE sites SET updates_core = NULL, updates_plugins = NULL, updates_themes = NULL
  WHERE inventory IS NOT NULL AND inventory->>'updates_checked_at' IS NULL;
