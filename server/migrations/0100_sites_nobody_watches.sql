-- Of a site that is disconnected or paused nobody looks any more: what was open ends, as by a pause of its checks, and whether it answers is not known.
CREATE FUNCTION end_uptime() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE uptime_incidents SET ended_at = greatest(NEW.updated_at, started_at), ended_by_pause = true
    WHERE workspace_id = NEW.workspace_id AND site_id = NEW.id AND ended_at IS NULL;
  UPDATE uptime_states SET up = NULL, app_up = CASE WHEN app_up IS NOT NULL THEN true END, app_known = false,
      connector_silent = CASE WHEN connector_silent IS NOT NULL THEN false END, interrupted = interrupted OR up IS NOT NULL, since = NEW.updated_at
    WHERE workspace_id = NEW.workspace_id AND site_id = NEW.id;
  UPDATE uptime_monitors SET good_since = NULL, app_checked_at = NULL, app_misses = 0, connector_misses = 0
    WHERE workspace_id = NEW.workspace_id AND site_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER sites_end_uptime AFTER UPDATE OF status ON sites FOR EACH ROW
  WHEN (NEW.status IN ('disconnected', 'paused') AND OLD.status NOT IN ('disconnected', 'paused')) EXECUTE FUNCTION end_uptime();

UPDATE uptime_incidents i SET ended_at = greatest(s.updated_at, i.started_at), ended_by_pause = true FROM sites s
  WHERE (s.workspace_id, s.id) = (i.workspace_id, i.site_id) AND s.status IN ('disconnected', 'paused') AND i.ended_at IS NULL;
UPDATE uptime_states u SET up = NULL, app_up = CASE WHEN app_up IS NOT NULL THEN true END, app_known = false,
    connector_silent = CASE WHEN connector_silent IS NOT NULL THEN false END, interrupted = interrupted OR up IS NOT NULL, since = s.updated_at
  FROM sites s WHERE (s.workspace_id, s.id) = (u.workspace_id, u.site_id) AND s.status IN ('disconnected', 'paused');
