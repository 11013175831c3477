-- concurrently
DROP INDEX CONCURRENTLY IF EXISTS backups_stored;
CREATE INDEX CONCURRENTLY backups_stored ON backups (workspace_id, site_id) INCLUDE (stored_bytes, size_bytes) WHERE status = 'completed';
