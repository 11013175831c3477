-- From where a change of addresses was seen: DNS may answer otherwise elsewhere.
ALTER TABLE uptime_moves ADD COLUMN location text NOT NULL DEFAULT 'here';
