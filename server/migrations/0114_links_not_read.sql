-- What a scan for broken links could not read, and links that were accepted and fail no more.
ALTER TABLE link_scan_urls ADD COLUMN not_read text; -- why nobody knows what stands on it; null: it was read, is no page, or its turn has not come
ALTER TABLE link_scans ADD COLUMN unread jsonb; -- how many pages, by why; null: of an older scan
ALTER TABLE broken_links ADD COLUMN well_since timestamptz; -- of an accepted one: it fails no more; null: it does
