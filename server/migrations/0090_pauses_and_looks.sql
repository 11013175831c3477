-- A pause ends what nobody looks at any more. That is no recovery, so nobody is told of one.
ALTER TABLE uptime_incidents ADD COLUMN ended_by_pause boolean NOT NULL DEFAULT false;
-- An incident of its own ended by a pause: the next check judges as if it had been well, so that one that lasts begins another.
ALTER TABLE uptime_states ADD COLUMN interrupted boolean NOT NULL DEFAULT false;
DROP TRIGGER uptime_incidents_ended ON uptime_incidents;
CREATE TRIGGER uptime_incidents_ended AFTER UPDATE OF ended_at ON uptime_incidents FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NOT NEW.ended_by_pause) EXECUTE FUNCTION note_happening('');

-- What was seen by comparing two looks was done between them; null: when it was done is known.
ALTER TABLE activity ADD COLUMN seen_after timestamptz;
