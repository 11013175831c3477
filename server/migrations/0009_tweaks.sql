-- Protections of a site: as they were seen last, and what we changed.

CREATE TABLE site_tweaks (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  tweak_id      text NOT NULL,
  state         text NOT NULL CHECK (state IN ('applied', 'not_applied', 'drifted', 'not_applicable')),
  reason        text,  -- why it is so, where that needs words
  said          text,  -- the site's own words to the reason
  already_by    text,  -- who else sees to it; null: we do, or nobody
  evidence      jsonb NOT NULL, -- lines of text
  checked_at    timestamptz NOT NULL,
  applied_at    timestamptz, -- by us
  applied_by    jsonb,
  verified_at   timestamptz, -- when it was last seen to work from outside
  PRIMARY KEY (workspace_id, site_id, tweak_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
