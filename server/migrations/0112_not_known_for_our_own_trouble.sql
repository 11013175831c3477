-- Since when checks of a site that was up tell nothing, because the trouble is ours.
ALTER TABLE uptime_monitors ADD COLUMN unproven_since timestamptz;
-- The same, as soon as that has lasted: whether the site is up is not known. Its change is told to whoever remembers sites.
ALTER TABLE uptime_states ADD COLUMN unproven_since timestamptz;
