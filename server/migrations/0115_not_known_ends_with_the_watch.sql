-- Where nobody looks any more, nor is it kept that our own trouble leaves a site unknown: who looks again begins anew.
CREATE OR REPLACE FUNCTION end_uptime() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE uptime_incidents SET ended_at = greatest(NEW.updated_at, started_at), ended_by_pause = true
    WHERE workspace_id = NEW.workspace_id AND site_id = NEW.id AND ended_at IS NULL;
  UPDATE uptime_states SET up = NULL, app_up = CASE WHEN app_up IS NOT NULL THEN true END, app_known = false,
      connector_silent = CASE WHEN connector_silent IS NOT NULL THEN false END, interrupted = interrupted OR up IS NOT NULL, since = NEW.updated_at,
      unproven_since = NULL
    WHERE workspace_id = NEW.workspace_id AND site_id = NEW.id;
  UPDATE uptime_monitors SET good_since = NULL, app_checked_at = NULL, app_misses = 0, connector_misses = 0, unproven_since = NULL
    WHERE workspace_id = NEW.workspace_id AND site_id = NEW.id;
  RETURN NULL;
END $$;

UPDATE uptime_states u SET unproven_since = NULL FROM sites s
  WHERE (s.workspace_id, s.id) = (u.workspace_id, u.site_id) AND s.status IN ('disconnected', 'paused') AND u.unproven_since IS NOT NULL;
-- A site whose checks are switched off was told as up, though nobody knew.
UPDATE uptime_states u SET up = NULL, app_known = false, interrupted = true, unproven_since = NULL FROM sites s
    LEFT JOIN uptime_settings own ON (own.workspace_id, own.site_id) = (s.workspace_id, s.id)
    LEFT JOIN uptime_settings house ON house.workspace_id = s.workspace_id AND house.site_id IS NULL
  WHERE (s.workspace_id, s.id) = (u.workspace_id, u.site_id) AND NOT coalesce(own.enabled, house.enabled, true) AND u.unproven_since IS NOT NULL;
UPDATE uptime_monitors m SET unproven_since = NULL FROM uptime_states u
  WHERE (u.workspace_id, u.site_id, u.location) = (m.workspace_id, m.site_id, m.location) AND u.up IS NULL AND m.unproven_since IS NOT NULL;
