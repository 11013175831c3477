-- Attempts that failed, apart from attempts that were killed or stopped: they have a budget of their own.

ALTER TABLE jobs ADD COLUMN failures integer NOT NULL DEFAULT 0;
