-- What a site said stands beside our words, and no longer within them.

ALTER TABLE site_tweaks ADD COLUMN said text; -- the site's own words to the reason

-- Why a tweak cannot be applied was the site's own sentence; of a tweak that has drifted the reason is ours.
UPDATE site_tweaks SET said = left(reason, 300), reason = 'The site refuses it; what it said tells what stands in the way.'
  WHERE state = 'not_applicable' AND reason IS NOT NULL AND reason NOT LIKE 'The connector on this site is too old%';

DO $$
DECLARE place record;
BEGIN
  FOR place IN SELECT * FROM (VALUES ('jobs', 'error'), ('backups', 'error'), ('sites', 'last_error')) AS v (of, error) LOOP
    EXECUTE format($sql$ UPDATE %1$I SET %2$I = %2$I || jsonb_build_object('message', 'The connector could not do it.', 'site_said',
        jsonb_build_object('untrusted', true, 'text', left(regexp_replace(%2$I ->> 'message', '^.*The connector reports: ', ''), 300)))
      WHERE %2$I ->> 'message' LIKE '%%The connector reports: %%' $sql$, place.of, place.error);
  END LOOP;
END $$;
