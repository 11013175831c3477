-- The key that a rotation is bringing in, from before the site hears of it until the site has used it.

ALTER TABLE sites ADD COLUMN next_key jsonb;
