-- A page before an update and after it, as a browser showed it.
CREATE TABLE update_pictures (
  workspace_id  text NOT NULL,
  id            text NOT NULL,
  site_id       text NOT NULL,
  taken_at      timestamptz NOT NULL,
  before        bytea NOT NULL, -- WebP
  after         bytea,          -- null: none was taken
  drawn         bytea NOT NULL, -- how much is drawn in each square of the one before
  steady        bytea NOT NULL, -- 1: this square was the same twice
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE INDEX update_pictures_by_time ON update_pictures (taken_at);
CREATE INDEX update_pictures_of_site ON update_pictures (workspace_id, site_id);
