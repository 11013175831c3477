-- A finding is told each time it becomes critical: when it is found, when it is there again after it was fixed, and when it becomes worse.
ALTER TABLE findings ADD COLUMN alarms integer NOT NULL DEFAULT 0; -- how often it did

CREATE FUNCTION count_finding_alarm() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.alarms := NEW.alarms + 1;
  RETURN NEW;
END $$;

DROP TRIGGER findings_critical ON findings;
DROP TRIGGER findings_critical_again ON findings;
CREATE TRIGGER findings_alarming BEFORE INSERT ON findings FOR EACH ROW
  WHEN (NEW.severity = 'critical' AND NEW.status = 'open') EXECUTE FUNCTION count_finding_alarm();
CREATE TRIGGER findings_alarming_again BEFORE UPDATE OF status, severity ON findings FOR EACH ROW
  WHEN (NEW.severity = 'critical' AND NEW.status = 'open' AND (OLD.status = 'fixed' OR OLD.severity <> 'critical'))
  EXECUTE FUNCTION count_finding_alarm();
CREATE TRIGGER findings_critical AFTER INSERT ON findings FOR EACH ROW WHEN (NEW.alarms > 0) EXECUTE FUNCTION note_happening('critical_finding');
-- Of every update: a column that only a trigger sets is none that an update names.
CREATE TRIGGER findings_critical_again AFTER UPDATE ON findings FOR EACH ROW
  WHEN (NEW.alarms > OLD.alarms) EXECUTE FUNCTION note_happening('critical_finding');
