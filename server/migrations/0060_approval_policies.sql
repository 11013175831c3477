-- What agents that need approvals may have done at once, what waits for a person, and what is refused: every version of it that ever held.

CREATE TABLE approval_policies (
  workspace_id  text NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  version       integer NOT NULL CHECK (version > 0),
  rules         jsonb NOT NULL, -- what differs from what is usual
  change        jsonb NOT NULL, -- what this version changed
  set_by        jsonb NOT NULL,
  set_at        timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, version)
);
CREATE FUNCTION approval_policies_stay() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'a version of the approval policies is not changed'; END $$;
CREATE TRIGGER approval_policies_stay BEFORE UPDATE ON approval_policies FOR EACH ROW EXECUTE FUNCTION approval_policies_stay();

-- Where everything had to be asked for so far, an upgrade loosens nothing.
INSERT INTO approval_policies (workspace_id, version, rules, change, set_by, set_at)
  SELECT id, 1,
    '[{"effect": "backups", "jump": null, "site_id": null, "tag": null, "decision": "ask"},
      {"effect": "scans", "jump": null, "site_id": null, "tag": null, "decision": "ask"}]',
    '{"effect": "backups", "jump": null, "site_id": null, "tag": null, "before": "auto", "after": "ask", "looser": false}',
    '{"type": "system", "id": "upgrade", "name": "Upgrade"}', now()
  FROM workspaces;

-- Which policy decided, or had a person asked; and whether a person let all waves of an update go.
ALTER TABLE approvals ADD COLUMN policy jsonb, ADD COLUMN all_waves boolean NOT NULL DEFAULT false;
DO $$
DECLARE named text;
BEGIN
  FOR named IN SELECT conname FROM pg_constraint WHERE conrelid = 'approvals'::regclass AND contype = 'c'
    AND pg_get_constraintdef(oid) LIKE '%''user''%' LOOP
    EXECUTE format('ALTER TABLE approvals DROP CONSTRAINT %I', named);
  END LOOP;
END $$;
-- Nobody approves what he asked for himself; without a person only a policy decides that lets it be done.
ALTER TABLE approvals ADD CONSTRAINT approvals_decided_by CHECK (decided_by IS NULL
  OR (decided_by->>'type' = 'user' AND decided_by->>'id' <> requested_by->>'id')
  OR (decided_by->>'type' = 'system' AND coalesce(policy->>'decision' = 'auto', false) AND status <> 'rejected'));

CREATE OR REPLACE FUNCTION approvals_keep_their_word() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.workspace_id, NEW.id, NEW.operation, NEW.title, NEW.face, NEW.requested_by, NEW.request_id, NEW.key, NEW.reason, NEW.sealed_input, NEW.input_digest, NEW.policy)
      IS DISTINCT FROM
     (OLD.workspace_id, OLD.id, OLD.operation, OLD.title, OLD.face, OLD.requested_by, OLD.request_id, OLD.key, OLD.reason, OLD.sealed_input, OLD.input_digest, OLD.policy)
    OR (NEW.shown_input, NEW.plan, NEW.plan_digest, NEW.bound, NEW.site_ids, NEW.created_at, NEW.expires_at)
      IS DISTINCT FROM (OLD.shown_input, OLD.plan, OLD.plan_digest, OLD.bound, OLD.site_ids, OLD.created_at, OLD.expires_at)
    OR (OLD.decided_by IS NOT NULL
      AND (NEW.decided_by, NEW.decided_at, NEW.note, NEW.all_waves) IS DISTINCT FROM (OLD.decided_by, OLD.decided_at, OLD.note, OLD.all_waves))
  THEN RAISE EXCEPTION 'what was asked for, shown and decided is not changed';
  END IF;
  IF NEW.status <> OLD.status AND NOT (OLD.status = 'pending' OR (OLD.status = 'approved' AND NEW.status IN ('dispatched', 'void')))
  THEN RAISE EXCEPTION 'an approval that is % does not become %', OLD.status, NEW.status;
  END IF;
  RETURN NEW;
END $$;

