-- concurrently
-- Sites of one address: where one stops answering, the others are looked at at once.
DROP INDEX CONCURRENTLY IF EXISTS uptime_monitors_addresses;
CREATE INDEX CONCURRENTLY uptime_monitors_addresses ON uptime_monitors USING gin (addresses);
