-- Every change of a site or of its backups tells all nodes which workspace's list is out of date.

CREATE FUNCTION announce_sites() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('svc_sites', w.workspace_id) FROM (SELECT DISTINCT workspace_id FROM changed) w;
  RETURN NULL;
END $$;

CREATE TRIGGER sites_inserted AFTER INSERT ON sites REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER sites_updated AFTER UPDATE ON sites REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER sites_deleted AFTER DELETE ON sites REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER backups_inserted AFTER INSERT ON backups REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER backups_updated AFTER UPDATE ON backups REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER backups_deleted AFTER DELETE ON backups REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
