-- A workspace that is being deleted: it is there for nobody any more, and what it held goes in the background.
ALTER TABLE workspaces ADD COLUMN deleted_at timestamptz;

-- What was deleted, by whom, and how far it is. It outlives the workspace, for whoever operates the service.
CREATE TABLE workspace_deletions (
  workspace_id     text NOT NULL,
  name             text NOT NULL,
  deleted_at       timestamptz NOT NULL,
  deleted_by       jsonb NOT NULL,
  held             jsonb NOT NULL, -- how much of what it held
  -- sites are told goodbye, rows deleted, objects deleted, and looked for once more
  step             text NOT NULL DEFAULT 'sites' CHECK (step IN ('sites', 'rows', 'objects', 'last look', 'done')),
  last_site        text NOT NULL DEFAULT '', -- told, or tried in vain, up to this one
  sites_told       integer NOT NULL DEFAULT 0,
  objects_deleted  bigint NOT NULL DEFAULT 0,
  due_at           timestamptz NOT NULL, -- whoever is at it has moved it on
  finished_at      timestamptz,
  PRIMARY KEY (workspace_id, deleted_at)
);
CREATE INDEX workspace_deletions_due ON workspace_deletions (due_at) WHERE finished_at IS NULL;

-- Whatever opens a workspace, or works in it, is not made any more once it is being deleted, however far whoever makes it had come.
CREATE FUNCTION refuse_in_deleted_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone timestamptz;
BEGIN
  SELECT deleted_at INTO gone FROM workspaces WHERE id = NEW.workspace_id FOR KEY SHARE;
  IF gone IS NOT NULL THEN
    RAISE foreign_key_violation USING MESSAGE = 'the workspace ' || NEW.workspace_id || ' was deleted';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER members_refused BEFORE INSERT ON members FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER invitations_refused BEFORE INSERT ON invitations FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER tokens_refused BEFORE INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER enrolment_codes_refused BEFORE INSERT ON enrolment_codes FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER sites_refused BEFORE INSERT ON sites FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER report_links_refused BEFORE INSERT ON report_links FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER report_mails_refused BEFORE INSERT ON report_mails FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER notice_rules_refused BEFORE INSERT ON notice_rules FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER deliveries_refused BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER jobs_refused BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
CREATE TRIGGER rollouts_refused BEFORE INSERT ON rollouts FOR EACH ROW EXECUTE FUNCTION refuse_in_deleted_workspace();
