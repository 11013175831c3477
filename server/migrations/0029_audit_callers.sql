-- concurrently
DROP INDEX CONCURRENTLY IF EXISTS audit_caller;
CREATE INDEX CONCURRENTLY audit_caller ON audit (workspace_id, caller_id, seq);
