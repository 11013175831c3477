-- Mails that bring a report to whom it is for, one for each address.

CREATE TABLE report_mails (
  workspace_id  text NOT NULL,
  id            text NOT NULL,
  report_id     text NOT NULL,
  address       text NOT NULL,
  status        text NOT NULL CHECK (status IN ('waiting', 'sent', 'bounced', 'dead')),
  -- the private link it brings; nothing once it has ended
  sealed_link   text,
  attempts      integer NOT NULL DEFAULT 0,
  due_at        timestamptz NOT NULL,
  error         text,
  created_at    timestamptz NOT NULL,
  sent_at       timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, report_id) REFERENCES reports ON DELETE CASCADE
);
CREATE INDEX report_mails_of ON report_mails (workspace_id, report_id, id);
CREATE INDEX report_mails_due ON report_mails (due_at) WHERE status = 'waiting';
CREATE INDEX report_mails_age ON report_mails (created_at);
