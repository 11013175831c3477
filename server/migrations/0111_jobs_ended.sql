-- concurrently
-- What ended on a site of late: asked with every batch of checks that holds a failed one, and by each report.
DROP INDEX CONCURRENTLY IF EXISTS jobs_ended;
CREATE INDEX CONCURRENTLY jobs_ended ON jobs (workspace_id, site_id, completed_at);
