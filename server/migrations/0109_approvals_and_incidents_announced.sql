-- Who looks at approvals and incidents is told of each as it changes, and need not ask again and again.
CREATE TRIGGER approvals_asked AFTER INSERT ON approvals REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('approval');
CREATE TRIGGER approvals_changed AFTER UPDATE ON approvals REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('approval');
CREATE TRIGGER incidents_begun AFTER INSERT ON uptime_incidents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('incident');
CREATE TRIGGER incidents_changed AFTER UPDATE ON uptime_incidents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('incident');
