-- What of a site was last compared with the feed of known vulnerabilities, so that only what has changed is compared again.

CREATE TABLE feed_looks (
  workspace_id  text NOT NULL,
  site_id       text NOT NULL,
  version       bigint NOT NULL, -- of the feed
  inventory_at  timestamptz NOT NULL,
  digest        text NOT NULL, -- of what was found
  PRIMARY KEY (workspace_id, site_id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
