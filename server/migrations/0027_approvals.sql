-- What agents ask for and people decide, what was done because of it, and the switch that stops all agents of a workspace.

CREATE TABLE approvals (
  workspace_id   text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id             text NOT NULL,
  -- approved: it is done when its caller calls again. dispatched: it was begun, at most once. void: it can no longer be done as it was shown.
  status         text NOT NULL CHECK (status IN ('pending', 'approved', 'dispatched', 'rejected', 'expired', 'void', 'canceled')),
  -- Asked for, and as shown to people. Never changed.
  operation      text NOT NULL,
  title          text NOT NULL, -- what that is in a few words
  face           text NOT NULL,
  requested_by   jsonb NOT NULL,
  request_id     text NOT NULL,
  key            text, -- the idempotency key it came with
  reason         text CHECK (length(reason) <= 1000),
  sealed_input   text NOT NULL, -- exactly what is done, under the key of the workspace
  input_digest   text NOT NULL, -- of the operation and its input, keyed, so that it tells nothing
  shown_input    jsonb NOT NULL,
  plan           jsonb,
  plan_digest    text NOT NULL, -- of every site, and what is done there, from which version to which
  bound          jsonb NOT NULL, -- what that digest is of
  site_ids       text[] NOT NULL,
  created_at     timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL CHECK (expires_at = created_at + interval '24 hours'),
  -- Decided
  decided_by     jsonb,
  decided_at     timestamptz,
  note           text CHECK (length(note) <= 1000),
  -- What came of it
  dispatched_at  timestamptz,
  ended_at       timestamptz,
  job_id         text,
  answer         jsonb,
  ended_reason   text,
  PRIMARY KEY (workspace_id, id),
  CHECK (decided_at < expires_at),
  CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
  -- Time decides nothing, and nobody approves what he asked for himself.
  CHECK (decided_by IS NULL OR status IN ('approved', 'dispatched', 'rejected', 'void')),
  CHECK (decided_by IS NOT NULL OR status NOT IN ('approved', 'dispatched', 'rejected')),
  CHECK (decided_by IS NULL OR (decided_by->>'type' = 'user' AND decided_by->>'id' <> requested_by->>'id'))
);
CREATE INDEX approvals_status ON approvals (workspace_id, status, id);
CREATE INDEX approvals_waiting ON approvals (expires_at) WHERE status IN ('pending', 'approved');
-- The same asked again while it waits is the same request.
CREATE UNIQUE INDEX approvals_once ON approvals (workspace_id, (requested_by->>'id'), input_digest) WHERE status IN ('pending', 'approved');
CREATE INDEX approvals_asker ON approvals (workspace_id, (requested_by->>'id'), created_at);

CREATE FUNCTION approvals_keep_their_word() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.workspace_id, NEW.id, NEW.operation, NEW.title, NEW.face, NEW.requested_by, NEW.request_id, NEW.key, NEW.reason, NEW.sealed_input, NEW.input_digest)
      IS DISTINCT FROM
     (OLD.workspace_id, OLD.id, OLD.operation, OLD.title, OLD.face, OLD.requested_by, OLD.request_id, OLD.key, OLD.reason, OLD.sealed_input, OLD.input_digest)
    OR (NEW.shown_input, NEW.plan, NEW.plan_digest, NEW.bound, NEW.site_ids, NEW.created_at, NEW.expires_at)
      IS DISTINCT FROM (OLD.shown_input, OLD.plan, OLD.plan_digest, OLD.bound, OLD.site_ids, OLD.created_at, OLD.expires_at)
    OR (OLD.decided_by IS NOT NULL AND (NEW.decided_by, NEW.decided_at, NEW.note) IS DISTINCT FROM (OLD.decided_by, OLD.decided_at, OLD.note))
  THEN RAISE EXCEPTION 'what was asked for, shown and decided is not changed';
  END IF;
  IF NEW.status <> OLD.status AND NOT (OLD.status = 'pending' OR (OLD.status = 'approved' AND NEW.status IN ('dispatched', 'void')))
  THEN RAISE EXCEPTION 'an approval that is % does not become %', OLD.status, NEW.status;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approvals_keep_their_word BEFORE UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION approvals_keep_their_word();

-- What a token asked for goes with it.
CREATE FUNCTION void_approvals_of_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE approvals SET status = 'void', ended_at = NEW.revoked_at, ended_reason = 'The token that asked for it was revoked.'
    WHERE workspace_id = NEW.workspace_id AND requested_by->>'id' = NEW.id AND status IN ('pending', 'approved');
  RETURN NULL;
END $$;
CREATE TRIGGER tokens_revoked AFTER UPDATE OF revoked_at ON tokens FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION void_approvals_of_token();

-- Who let it be done, and by which approval.
ALTER TABLE jobs ADD COLUMN approved_by jsonb, ADD COLUMN approval_id text;
ALTER TABLE rollouts ADD COLUMN approved_by jsonb, ADD COLUMN approval_id text;

-- While this is set, no token of the workspace may do anything.
ALTER TABLE workspaces ADD COLUMN agents_paused_at timestamptz, ADD COLUMN agents_paused_by jsonb;

-- Where a token was used last from, and by what; and which sites it sees, null: all of the workspace.
ALTER TABLE tokens ADD COLUMN last_used_from text, ADD COLUMN last_used_client text, ADD COLUMN sees jsonb;
