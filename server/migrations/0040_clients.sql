-- Whose sites these are. The name that a site says is that of a row here, and follows it.

CREATE TABLE clients (
  workspace_id   text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id             text NOT NULL,
  name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- how its reports look and what they tell
  language       text NOT NULL DEFAULT 'en',
  time_zone      text NOT NULL DEFAULT 'UTC',
  paper          text NOT NULL DEFAULT 'a4' CHECK (paper IN ('a4', 'letter')),
  colour         text NOT NULL DEFAULT '#0b5fb0' CHECK (colour ~ '^#[0-9a-f]{6}$'),
  logo           bytea,
  logo_type      text CHECK (logo_type IN ('image/png', 'image/jpeg')),
  recipients     text[] NOT NULL DEFAULT '{}',
  hidden         text[] NOT NULL DEFAULT '{}', -- sections
  shows_names    boolean NOT NULL DEFAULT false,
  -- when reports come by themselves
  report_mode    text NOT NULL DEFAULT 'off' CHECK (report_mode IN ('off', 'draft', 'send')),
  report_day     smallint NOT NULL DEFAULT 1 CHECK (report_day BETWEEN 1 AND 28),
  report_hour    smallint NOT NULL DEFAULT 8 CHECK (report_hour BETWEEN 0 AND 23),
  report_wait    smallint NOT NULL DEFAULT 3 CHECK (report_wait BETWEEN 0 AND 14), -- days from the draft to the mail
  report_due_at  timestamptz,
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name)
);
CREATE INDEX clients_due ON clients (report_due_at) WHERE report_due_at IS NOT NULL;

CREATE FUNCTION new_client_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'client_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(r.b, n) & 31), 1), '')
  FROM (SELECT sha256(uuid_send(gen_random_uuid())) AS b OFFSET 0) r, generate_series(0, 25) n
$$;

INSERT INTO clients (workspace_id, id, name, created_at, updated_at)
  SELECT workspace_id, new_client_id(), client, now(), now() FROM (SELECT DISTINCT workspace_id, client FROM sites WHERE client IS NOT NULL) s;

-- Whoever says whose a site is need not have made that client before.
CREATE FUNCTION keep_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO clients (workspace_id, id, name, created_at, updated_at)
    VALUES (NEW.workspace_id, new_client_id(), NEW.client, NEW.updated_at, NEW.updated_at) ON CONFLICT (workspace_id, name) DO NOTHING;
  RETURN NEW;
END $$;
CREATE TRIGGER sites_client BEFORE INSERT OR UPDATE OF client ON sites FOR EACH ROW WHEN (NEW.client IS NOT NULL) EXECUTE FUNCTION keep_client();

ALTER TABLE sites ADD CONSTRAINT sites_of_client FOREIGN KEY (workspace_id, client) REFERENCES clients (workspace_id, name)
  ON UPDATE CASCADE ON DELETE SET NULL (client);
CREATE INDEX sites_client_name ON sites (workspace_id, client) WHERE client IS NOT NULL;
