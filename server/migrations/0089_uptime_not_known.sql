-- What is told of WordPress itself is kept apart from what its incidents go by: a look that could not tell ends none.
ALTER TABLE uptime_states ADD COLUMN app_known boolean NOT NULL DEFAULT true; -- false: `app_up` is what was known before
