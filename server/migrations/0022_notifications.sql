-- What people are told: what happened, by which channel, by which rule, and what became of each message.

-- Written by triggers in the transaction in which something happened; taken out when it was made an event of.
CREATE TABLE happenings (
  workspace_id  text NOT NULL,
  seq           bigint GENERATED ALWAYS AS IDENTITY,
  kind          text NOT NULL,
  site_id       text NOT NULL,
  subject_id    text NOT NULL, -- the incident, job, finding or move
  PRIMARY KEY (workspace_id, seq),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- With the kind as its argument; '' leaves that to the row.
CREATE FUNCTION note_happening() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := TG_ARGV[0];
BEGIN
  IF TG_TABLE_NAME = 'uptime_incidents' THEN
    kind := CASE NEW.kind WHEN 'down' THEN 'site' WHEN 'app_down' THEN 'wordpress' ELSE 'connector' END
      || CASE WHEN NEW.ended_at IS NOT NULL THEN '_back' WHEN NEW.kind = 'connector_silent' THEN '_silent' ELSE '_down' END;
  ELSIF TG_TABLE_NAME = 'jobs' THEN
    kind := CASE WHEN NEW.type = 'backup' AND NEW.status = 'failed' THEN 'backup_failed'
      WHEN NEW.type = 'update' AND (NEW.status = 'failed' OR NEW.result @? '$.items[*] ? (@.health.after.ok == false)') THEN 'update_harmed'
      WHEN NEW.type = 'update' AND NEW.result @? '$.items[*] ? (@.status == "rolled_back")' THEN 'update_taken_back' END;
  END IF;
  IF kind IS NOT NULL AND NEW.site_id IS NOT NULL THEN
    INSERT INTO happenings (workspace_id, kind, site_id, subject_id) VALUES (NEW.workspace_id, kind, NEW.site_id, NEW.id);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER uptime_incidents_begun AFTER INSERT ON uptime_incidents FOR EACH ROW EXECUTE FUNCTION note_happening('');
CREATE TRIGGER uptime_incidents_ended AFTER UPDATE OF ended_at ON uptime_incidents FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION note_happening('');
CREATE TRIGGER uptime_moves_seen AFTER INSERT ON uptime_moves FOR EACH ROW EXECUTE FUNCTION note_happening('dns_changed');
CREATE TRIGGER jobs_ended AFTER UPDATE OF status ON jobs FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('completed', 'failed') AND NEW.type IN ('backup', 'update'))
  EXECUTE FUNCTION note_happening('');
CREATE TRIGGER findings_critical AFTER INSERT ON findings FOR EACH ROW
  WHEN (NEW.severity = 'critical' AND NEW.status = 'open') EXECUTE FUNCTION note_happening('critical_finding');
CREATE TRIGGER findings_critical_again AFTER UPDATE OF status ON findings FOR EACH ROW
  WHEN (NEW.severity = 'critical' AND NEW.status = 'open' AND OLD.status = 'fixed') EXECUTE FUNCTION note_happening('critical_finding');

CREATE TABLE notices (
  workspace_id  text NOT NULL,
  id            text NOT NULL,
  -- one for each episode
  key           text NOT NULL,
  kind          text NOT NULL,
  site_id       text NOT NULL,
  subject_id    text NOT NULL,
  happened_at   timestamptz NOT NULL,
  message       text NOT NULL, -- a sentence of ours
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, key),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX notices_age ON notices (happened_at);

CREATE TABLE channels (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            text NOT NULL,
  name          text NOT NULL,
  type          text NOT NULL CHECK (type IN ('email', 'slack', 'webhook')),
  shown         text NOT NULL, -- the addresses, or the host of the URL
  sealed        text NOT NULL, -- where it leads, and with what it is signed
  created_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);

-- Which kinds of which sites go to which channel; null: any.
CREATE TABLE notice_rules (
  workspace_id  text NOT NULL,
  id            text NOT NULL,
  channel_id    text NOT NULL,
  kinds         text[],
  site_id       text,
  tag           text,
  client        text,
  quiet         jsonb, -- {from, to}, HH:MM in UTC
  created_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, channel_id) REFERENCES channels ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- One message; what happens until it is due is added to it.
CREATE TABLE deliveries (
  workspace_id  text NOT NULL,
  id            text NOT NULL,
  channel_id    text NOT NULL,
  status        text NOT NULL CHECK (status IN ('waiting', 'sent', 'dead')),
  notice_ids    text[] NOT NULL,
  -- begun to be sent, so that nothing is added any more
  begun         boolean NOT NULL DEFAULT false,
  attempts      integer NOT NULL DEFAULT 0,
  due_at        timestamptz NOT NULL,
  error         text,
  created_at    timestamptz NOT NULL,
  sent_at       timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, channel_id) REFERENCES channels ON DELETE CASCADE
);
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE status = 'waiting';
CREATE INDEX deliveries_age ON deliveries (created_at);
