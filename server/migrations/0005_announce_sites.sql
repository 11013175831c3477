-- Every change of a site or of its backups tells all nodes which site to read again; a change of very many, which workspace.

CREATE FUNCTION announce_sites() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  site_column text := CASE TG_TABLE_NAME WHEN 'sites' THEN 'id' ELSE 'site_id' END;
BEGIN
  IF (SELECT count(*) FROM changed) > 100 THEN
    PERFORM pg_notify('svc_sites', w.workspace_id) FROM (SELECT DISTINCT workspace_id FROM changed) w;
  ELSE
    PERFORM pg_notify('svc_sites', c.workspace_id || ' ' || (to_jsonb(c) ->> site_column)) FROM changed c;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER sites_inserted AFTER INSERT ON sites REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER sites_updated AFTER UPDATE ON sites REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER sites_deleted AFTER DELETE ON sites REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER backups_inserted AFTER INSERT ON backups REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER backups_updated AFTER UPDATE ON backups REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER backups_deleted AFTER DELETE ON backups REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
