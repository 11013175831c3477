-- What the checks remember: the administrators of the first look, and answers of the WordPress.org directory.

CREATE TABLE known_admins (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  user_id       bigint NOT NULL,
  login         text NOT NULL,
  -- there when the site was looked at for the first time
  baseline      boolean NOT NULL,
  seen_at       timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, site_id, user_id, login),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);

-- Public facts, the same for everybody.
CREATE TABLE directory_answers (
  question    text PRIMARY KEY,
  answer      jsonb, -- null: the directory does not know
  fetched_at  timestamptz NOT NULL
);
