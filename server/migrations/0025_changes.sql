-- What changed is said as it is committed, for whoever follows it: no more than what, and on which site.

-- With the kind as its argument. Of very many at once only that there were some.
CREATE FUNCTION announce_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM changed) > 100 THEN
    PERFORM pg_notify('svc_changes', w.workspace_id || ' ' || TG_ARGV[0]) FROM (SELECT DISTINCT workspace_id FROM changed) w;
  ELSE
    PERFORM pg_notify('svc_changes', concat_ws(' ', c.workspace_id, TG_ARGV[0], c.id, to_jsonb(c) ->> 'site_id')) FROM changed c;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER jobs_begun AFTER INSERT ON jobs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('job');
CREATE TRIGGER jobs_changed AFTER UPDATE ON jobs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('job');
CREATE TRIGGER rollouts_begun AFTER INSERT ON rollouts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('rollout');
CREATE TRIGGER rollouts_changed AFTER UPDATE ON rollouts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('rollout');
CREATE TRIGGER activity_added AFTER INSERT ON activity REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('activity');
CREATE TRIGGER notices_added AFTER INSERT ON notices REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('notice');
