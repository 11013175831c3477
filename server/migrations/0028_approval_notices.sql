-- That something waits for a person is told too; it may be about many sites, or none.
ALTER TABLE happenings ALTER COLUMN site_id DROP NOT NULL;
ALTER TABLE notices ALTER COLUMN site_id DROP NOT NULL;

CREATE FUNCTION note_waiting_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO happenings (workspace_id, kind, site_id, subject_id)
    SELECT NEW.workspace_id, 'approval_waiting', s.id, NEW.id
    FROM (SELECT 1) AS one LEFT JOIN sites s ON cardinality(NEW.site_ids) = 1 AND (s.workspace_id, s.id) = (NEW.workspace_id, NEW.site_ids[1]);
  RETURN NULL;
END $$;
CREATE TRIGGER approvals_waiting_noted AFTER INSERT ON approvals FOR EACH ROW
  WHEN (NEW.status = 'pending') EXECUTE FUNCTION note_waiting_approval();

-- They went with their site; those without one go with their workspace.
ALTER TABLE happenings ADD FOREIGN KEY (workspace_id) REFERENCES workspaces ON DELETE CASCADE;
ALTER TABLE notices ADD FOREIGN KEY (workspace_id) REFERENCES workspaces ON DELETE CASCADE;
