-- Who sees some sites only is told what concerns these: so an announcement says of whom it is, also where very many changed at once.
-- `workspace kind id site`, and behind it `internal` for what only colleagues read; of very many `workspace kind * site,site,…`.
CREATE OR REPLACE FUNCTION announce_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM changed) > 100 THEN
    -- A payload holds 8,000 bytes.
    PERFORM pg_notify('svc_changes', concat_ws(' ', p.workspace_id, TG_ARGV[0], '*', string_agg(p.site_id, ',')))
      FROM (SELECT s.workspace_id, s.site_id, row_number() OVER (PARTITION BY s.workspace_id ORDER BY s.site_id) / 200 AS part
        FROM (SELECT DISTINCT c.workspace_id, to_jsonb(c) ->> 'site_id' AS site_id FROM changed c) s) p
      GROUP BY p.workspace_id, p.part;
  ELSE
    PERFORM pg_notify('svc_changes', concat_ws(' ', c.workspace_id, TG_ARGV[0], c.id, r.row ->> 'site_id',
        CASE WHEN r.row ->> 'site_id' IS NOT NULL AND (r.row ->> 'internal')::boolean THEN 'internal' END))
      FROM changed c, LATERAL (SELECT to_jsonb(c) AS row) r;
  END IF;
  RETURN NULL;
END $$;
