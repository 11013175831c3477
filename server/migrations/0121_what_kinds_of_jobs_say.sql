-- What the kind of a job says of it stands in its row, so that triggers know no types.
ALTER TABLE jobs
  ADD COLUMN changes_site boolean NOT NULL DEFAULT false, -- it may leave the site other than it was
  ADD COLUMN happening text; -- what of its end people are told; null: nothing
-- Of what is over it was told.
UPDATE jobs SET changes_site = true WHERE status IN ('queued', 'running') AND type IN ('update', 'restore', 'undo_restore', 'tweak');

CREATE OR REPLACE FUNCTION note_happening() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := TG_ARGV[0];
BEGIN
  IF TG_TABLE_NAME = 'uptime_incidents' THEN
    kind := CASE NEW.kind WHEN 'down' THEN 'site' WHEN 'app_down' THEN 'wordpress' ELSE 'connector' END
      || CASE WHEN NEW.ended_at IS NOT NULL THEN '_back' WHEN NEW.kind = 'connector_silent' THEN '_silent' ELSE '_down' END;
  ELSIF TG_TABLE_NAME = 'jobs' THEN
    kind := NEW.happening;
  END IF;
  IF kind IS NOT NULL AND NEW.site_id IS NOT NULL THEN
    INSERT INTO happenings (workspace_id, kind, site_id, subject_id) VALUES (NEW.workspace_id, kind, NEW.site_id, NEW.id);
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER jobs_ended ON jobs;
CREATE TRIGGER jobs_ended AFTER UPDATE OF status ON jobs FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.happening IS NOT NULL)
  EXECUTE FUNCTION note_happening('');

DROP TRIGGER jobs_hasten_php_errors ON jobs;
CREATE TRIGGER jobs_hasten_php_errors AFTER UPDATE OF status ON jobs FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('completed', 'failed') AND NEW.changes_site AND NEW.site_id IS NOT NULL)
  EXECUTE FUNCTION hasten_php_errors();
