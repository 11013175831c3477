-- Indexes for what is asked again and again of tables that only grow.

-- The sweep of each minute, and whatever looks for work under way.
CREATE INDEX jobs_open ON jobs (workspace_id, id) WHERE status IN ('queued', 'running');
-- Lists are sorted by id, with or without one of the filters.
DROP INDEX jobs_recent;
DROP INDEX jobs_site;
CREATE INDEX jobs_status ON jobs (workspace_id, status, id);
CREATE INDEX jobs_type ON jobs (workspace_id, type, id);
CREATE INDEX jobs_site ON jobs (workspace_id, site_id, id);
CREATE INDEX backups_job ON backups (workspace_id, job_id);
-- What is due of one kind, however much is overdue of another.
DROP INDEX turns_due;
CREATE INDEX turns_due ON turns (kind, due_at);
