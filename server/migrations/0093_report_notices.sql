-- Of reports people are told: a draft that came by itself waits for somebody, one is going to be sent by itself, a mail did not arrive.
CREATE FUNCTION note_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO happenings (workspace_id, kind, subject_id) VALUES (NEW.workspace_id, TG_ARGV[0], NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER reports_waiting_noted AFTER INSERT ON reports FOR EACH ROW
  WHEN (NEW.status = 'draft' AND NEW.created_by->>'type' = 'system') EXECUTE FUNCTION note_report('report_waiting');
CREATE TRIGGER reports_held_noted AFTER UPDATE OF held_back ON reports FOR EACH ROW
  WHEN (NEW.held_back AND NOT OLD.held_back) EXECUTE FUNCTION note_report('report_waiting');
CREATE TRIGGER reports_to_send_noted AFTER UPDATE OF send_at ON reports FOR EACH ROW
  WHEN (NEW.send_at IS NOT NULL AND OLD.send_at IS NULL) EXECUTE FUNCTION note_report('report_to_send');
CREATE TRIGGER report_mails_returned_noted AFTER UPDATE OF status ON report_mails FOR EACH ROW
  WHEN (NEW.status IN ('bounced', 'dead') AND OLD.status <> NEW.status) EXECUTE FUNCTION note_report('report_returned');
