-- What people note of a site, and schedules that are told with each site.
ALTER TABLE sites ADD COLUMN notes text;

-- A changed schedule tells all nodes which site to read again; that of the workspace, all of them.
CREATE FUNCTION announce_schedules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('svc_sites', c.workspace_id || coalesce(' ' || c.site_id, '')) FROM changed c;
  RETURN NULL;
END $$;

CREATE TRIGGER schedules_inserted AFTER INSERT ON schedules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_schedules();
CREATE TRIGGER schedules_updated AFTER UPDATE ON schedules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_schedules();
CREATE TRIGGER schedules_deleted AFTER DELETE ON schedules REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_schedules();
